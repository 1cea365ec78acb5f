/** Connection security for the brokers. Never print it: it contains a password. */
export type KafkaSecurity = {
  /**
   * Their certificates must be signed by an authority that Node trusts, or by one in the file that
   * NODE_EXTRA_CA_CERTS names.
   */
  readonly tls: boolean;
  /** null: the brokers require no login. */
  readonly sasl: SaslLogin | null;
};

export type SaslLogin = {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
};

const PROTOCOLS = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'];
const MECHANISMS: readonly SaslLogin['mechanism'][] = ['plain', 'scram-sha-256', 'scram-sha-512'];
const LOGIN = ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const;

export const SECURITY_VARIABLES = ['KAFKA_SECURITY_PROTOCOL', ...LOGIN] as const;

type SecurityVariable = (typeof SECURITY_VARIABLES)[number];
type Problem = { readonly variable: SecurityVariable; readonly problem: string };

const named = (names: readonly string[]): string => names.join(', ').toUpperCase();

/**
 * Reads the variables, whose values have the names of Kafka's own clients. Problems do not repeat the values.
 */
export const parseKafkaSecurity = (
  given: (variable: SecurityVariable) => string | undefined,
): { security: KafkaSecurity; problems: Problem[] } => {
  const protocol = (given('KAFKA_SECURITY_PROTOCOL') ?? 'PLAINTEXT').toUpperCase();
  const [username, password] = [given('KAFKA_SASL_USERNAME'), given('KAFKA_SASL_PASSWORD')];
  const wanted = given('KAFKA_SASL_MECHANISM')?.toLowerCase();
  const mechanism = MECHANISMS.find((name) => name === wanted);
  const asksLogin = protocol.startsWith('SASL_');
  const problems: Problem[] = [];
  const refuse = (variable: SecurityVariable, problem: string): void =>
    void problems.push({ variable, problem });
  if (!PROTOCOLS.includes(protocol))
    refuse('KAFKA_SECURITY_PROTOCOL', `is not accepted; accepted are ${named(PROTOCOLS)}`);
  else if (!asksLogin && LOGIN.some(given))
    refuse(
      'KAFKA_SECURITY_PROTOCOL',
      `must be SASL_SSL or SASL_PLAINTEXT where one of ${named(LOGIN)} is set`,
    );
  if (wanted !== undefined && mechanism === undefined)
    refuse('KAFKA_SASL_MECHANISM', `is not accepted; accepted are ${named(MECHANISMS)}`);
  for (const variable of asksLogin ? LOGIN : [])
    if (given(variable) === undefined)
      refuse(variable, `is needed where KAFKA_SECURITY_PROTOCOL is ${protocol}`);
  const isLogin = asksLogin && mechanism && username !== undefined && password !== undefined;
  const sasl = isLogin ? { mechanism, username, password } : null;
  return { security: { tls: protocol.endsWith('SSL'), sasl }, problems };
};
