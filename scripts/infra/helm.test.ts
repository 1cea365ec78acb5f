import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../services/platform/config/config.ts';
import { ROLES } from '../../services/roles/service-process.ts';
import { renderTemplate } from './render-template.ts';

const read = (file: string): string =>
  readFileSync(new URL(`../../infra/helm/spoor/${file}`, import.meta.url), 'utf8');
const values = parse(read('values.yaml')) as {
  env: Record<string, string>;
  roles: Record<string, { replicas: number; budget: number; alone: boolean }>;
};
type Container = { args: string[]; livenessProbe: object; readinessProbe: object; startupProbe: object };
type Made = {
  kind: string;
  metadata: { name: string };
  spec: {
    replicas: number;
    maxUnavailable: number;
    strategy: { type: string };
    ingress?: object[];
    egress?: { to?: object[] }[];
    template?: { spec: { containers: Container[]; enableServiceLinks?: boolean } };
  };
};

const rendered = (template: string, over: object = {}): Made[] =>
  parseAllDocuments(renderTemplate(read(`templates/${template}`), { ...values, ...over })).flatMap(
    (document) => {
      expect(document.errors).toEqual([]);
      return document.contents === null ? [] : [document.toJS() as Made];
    },
  );

test('every role of the command line is deployed, with probes and a budget that lets a node be emptied', () => {
  const made = rendered('roles.tpl');
  expect(Object.keys(values.roles).toSorted()).toEqual(ROLES.toSorted());
  for (const role of ROLES) {
    const of = (kind: string) =>
      made.find((m) => m.kind === kind && m.metadata.name === `spoor-${role}`)?.spec;
    const [container] = of('Deployment')?.template?.spec.containers ?? [];
    expect(container).toMatchObject({
      args: ['start', role],
      livenessProbe: {},
      readinessProbe: {},
      startupProbe: {},
    });
    expect(of('Deployment')?.strategy.type).toBe(values.roles[role]?.alone ? 'Recreate' : 'RollingUpdate');
    expect(of('PodDisruptionBudget')?.maxUnavailable).toBeGreaterThan(0);
  }
  expect(rendered('roles.tpl', { dataClaim: 'shared' })).toHaveLength(made.length);
  expect(rendered('service.yaml')).toMatchObject([{ kind: 'Service' }]);
});

test('pods are told from their operators, may do nothing that they need not, and reach nothing that they need not', () => {
  const made = [...rendered('roles.tpl'), ...rendered('topics.tpl')];
  for (const { spec } of made) {
    if (!spec.template) continue;
    expect(spec.template.spec).toMatchObject({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          securityContext: {
            ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    });
  }
  for (const role of ROLES) {
    const policy = made.find((m) => m.kind === 'NetworkPolicy' && m.metadata.name === `spoor-${role}`);
    const { ingress = [], egress = [] } = policy?.spec ?? {};
    const operators = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } };
    expect(ingress).toEqual([
      { ports: [{ port: 'operations' }], from: [operators] },
      ...(role === 'api' ? [{ ports: [{ port: 'http' }] }] : []),
    ]);
    const everywhere = { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } };
    const reachesOut = egress.some(({ to = [] }) => JSON.stringify(to).includes(JSON.stringify(everywhere)));
    expect(reachesOut, role).toBe(!['sink', 'ledger', 'retrace'].includes(role));
  }
  const outside = rendered('roles.tpl', { enginesOutside: { kafka: '10.1.0.0/24' } });
  expect(JSON.stringify(outside)).toContain('10.1.0.0/24');
});

test('topics are applied before any role starts, with copies that survive the loss of a broker', () => {
  const [job] = rendered('topics.tpl');
  expect(job?.kind).toBe('Job');
  expect(job?.metadata).toMatchObject({ annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' } });
  const args = ['topics', 'apply', '--replication', '3', '--min-in-sync', '2'];
  expect(job?.spec.template?.spec.containers).toMatchObject([{ args }]);
});

test('roles that would be fenced by a second copy of themselves have none', () => {
  for (const { alone, replicas } of Object.values(values.roles)) if (alone) expect(replicas).toBe(1);
});

test('what pods are told is a configuration that the service takes', () => {
  const secret = {
    CLICKHOUSE_URL: 'http://spoor:x@clickhouse:8123',
    SPOOR_CHAINS: 'solana=http://node:8899',
  };
  expect(loadConfig({ ...values.env, ...secret })).toMatchObject({ kafka: {}, clickhouse: {} });
});

test('no pod is told of the Services beside it, in variables that the service would refuse', () => {
  const [service] = rendered('service.yaml');
  const link = `${service?.metadata.name.toUpperCase().replaceAll('-', '_')}_SERVICE_HOST`;
  expect(() => loadConfig({ [link]: '10.96.3.4' })).toThrow(link);
  const pods = [...rendered('roles.tpl'), ...rendered('topics.tpl')].flatMap(
    ({ spec }) => spec.template?.spec ?? [],
  );
  expect(pods).toHaveLength(ROLES.length + 1);
  for (const pod of pods) expect(pod.enableServiceLinks).toBe(false);
});

test('a template that names a value that does not exist, or what is not understood here, is refused', () => {
  expect(() => renderTemplate('{{ .Values.nowhere }}', values)).toThrow('does not exist');
  expect(() => renderTemplate('{{ include "x" . }}', values)).toThrow('not understood');
});
