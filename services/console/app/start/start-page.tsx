import { CaseList } from '../case/case-list.tsx';
import { formatSpan } from '../shared/format.ts';
import { Scroll } from '../shared/scroll.tsx';
import { useStatus } from '../shared/use-access.ts';
import { SearchBox } from './search-box.tsx';

/** The first page: one box, and what this instance has read. */
export const StartPage = () => (
  <>
    <h1>Follow money on Solana and EVM chains</h1>
    <SearchBox isLarge />
    <CaseList />
    <ChainTable />
  </>
);

const ChainTable = () => {
  const { data, error } = useStatus();
  if (error) return <p role="alert">The service does not say how it is.</p>;
  if (data === undefined) return null;
  const { chains } = data.components;
  return (
    <section aria-labelledby="read">
      <h2 id="read">What this instance has read</h2>
      {chains.length === 0 ? (
        <p>No chain is set, and no block was read.</p>
      ) : (
        <Scroll name="Chains">
          <table>
            <thead>
              <tr>
                <th scope="col">Chain</th>
                <th scope="col" className="number">
                  Newest block of the chain
                </th>
                <th scope="col" className="number">
                  Newest block read
                </th>
                <th scope="col" className="number">
                  Behind by
                </th>
                <th scope="col">Blocks count when</th>
                <th scope="col">Trouble</th>
              </tr>
            </thead>
            <tbody>
              {chains.map((chain) => (
                <tr key={chain.chain}>
                  <th scope="row">{chain.chain}</th>
                  <td className="number">{chain.head?.toLocaleString('en-US') ?? 'unknown'}</td>
                  <td className="number">{chain.indexed?.toLocaleString('en-US') ?? 'none'}</td>
                  <td className="number">
                    {chain.lag_seconds === null ? 'unknown' : formatSpan(chain.lag_seconds)}
                  </td>
                  <td>{chain.finality}</td>
                  <td>{chain.stalled ? 'stands still' : (chain.trouble ?? 'none')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
};
