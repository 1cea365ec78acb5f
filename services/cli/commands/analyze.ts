import type { Command } from 'commander';
import { countOf } from '../../investigate/model/count-of.ts';
import { showable, showableLines } from '../../platform/showable.ts';
import type { Profile } from '../../sdk/create-spoor.ts';
import { askCommand } from '../questions/ask-command.ts';
import { type ChainName, chainOption } from '../questions/chain-option.ts';
import { drawTable } from '../questions/draw-table.ts';
import { drawConfidence, drawDollars, drawParty, drawTime, faint } from '../questions/draw-words.ts';
import { type ReadingOptions, readingBody, withReadingOptions } from '../questions/reading-options.ts';

/** `spoor analyze ADDRESS`: who it is, its risk with reasons, and its counterparties. */
export const analyzeCommand = (): Command =>
  askCommand<{ readonly chain?: ChainName } & ReadingOptions, Profile>({
    name: 'analyze',
    description: 'Tell who a wallet, program or token is, what it did, and its risk with every reason.',
    arguments: [['address', 'the address to ask about']],
    addOptions: (command) => withReadingOptions(command.addOption(chainOption())),
    example: 'spoor analyze 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed --chain ethereum',
    ask: (spoor, [address = ''], { chain, ...reading }, call) =>
      spoor.analyze({ address, ...(chain && { chain }), ...readingBody(reading) }, call),
    draw: drawProfile,
    rows: ({ connections }) =>
      connections.map(({ address, label, in: came, out: went }) => ({
        address,
        label: label?.name ?? null,
        kind: label?.kind ?? null,
        in_count: came.count,
        in_usd: came.usd,
        out_count: went.count,
        out_usd: went.usd,
      })),
  });

export const drawProfile = (profile: Profile): string => {
  const { address, identity, risk, activity, behaviours, connections, funding, meta } = profile;
  const lines = [showable(address), `  ${describeIdentity(identity)}`];
  const score = risk.score === null ? '' : `, ${risk.score} of 100`;
  lines.push(`  risk: ${risk.level}${score}: ${showableLines(risk.basis)}`);
  for (const { severity, detail } of risk.reasons) lines.push(`    ${severity}: ${showableLines(detail)}`);
  if (activity)
    lines.push(
      `  ${countOf(activity.transactions, 'transaction')} with ${countOf(activity.counterparties, 'party', 'parties')}, ` +
        `${drawTime(activity.first_seen)} to ${drawTime(activity.last_seen)}${activity.seen_in === null ? '' : ' (not all is indexed)'}`,
      `  in ${drawDollars(activity.usd_in)}, out ${drawDollars(activity.usd_out)}`,
    );
  if (funding) {
    const first = funding.seen_in === null ? 'first funded' : 'first funded, as far as blocks are indexed,';
    lines.push(`  ${first} by ${drawParty(funding.address, funding.label)}`);
  }
  for (const { name, detail, confidence } of behaviours)
    lines.push(`  ${name} (${drawConfidence(confidence)}): ${showableLines(detail)}`);
  if (connections.length > 0)
    lines.push(
      drawTable(
        ['counterparty', 'in', 'out'],
        connections.map(({ address: other, label, in: came, out: went }) => [
          drawParty(other, label),
          `${came.count} × ${drawDollars(came.usd)}`,
          `${went.count} × ${drawDollars(went.usd)}`,
        ]),
      ),
    );
  if (meta.detail !== null) lines.push(faint(showableLines(meta.detail)));
  return lines.join('\n');
};

const describeIdentity = ({ type, name, predicted }: Profile['identity']): string => {
  if (type === null) return 'nothing is known of it, which does not mean that it is clean';
  const seems = predicted
    ? `; seems to be ${predicted.type} (${drawConfidence(predicted.confidence)}): ${showableLines(predicted.why)}`
    : '';
  return `${showable(name ?? 'no label')} (${type})${seems}`;
};
