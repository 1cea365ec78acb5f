import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Price } from '../shared/call.tsx';
import { useStatus } from '../shared/use-access.ts';
import { readPaste } from './read-paste.ts';

/** Questions that an address alone is enough for. */
const QUESTIONS = [
  { path: '/flow', tariff: 'follow', words: 'Where did the money go?' },
  { path: '/origin', tariff: 'follow', words: 'Where did it come from?' },
  { path: '/wallet', tariff: 'analyze', words: 'Who is this?' },
  { path: '/token', tariff: 'insiders', words: 'Who had this token early?' },
  { path: '/thief', tariff: 'victims', words: 'Whom did this wallet rob?' },
] as const;

type Path = (typeof QUESTIONS)[number]['path'];

/** Takes anything that is pasted and asks one question about it. `/` goes to it from anywhere. */
export const SearchBox = ({ isLarge = false }: { isLarge?: boolean }) => {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [path, setPath] = useState<Path>('/flow');
  const [chosenChain, setChain] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const pasted = readPaste(text);
  const chains = useChains(pasted.what === 'address' ? pasted.family : null);
  const chain = chains.includes(chosenChain) ? chosenChain : (chains[0] ?? '');
  const question = QUESTIONS.find((it) => it.path === path) ?? QUESTIONS[0];

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || isTyping(event.target)) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  const open = (): void => {
    if (pasted.what === 'address')
      navigate(`${path}?${new URLSearchParams({ chain, address: pasted.text })}`);
    if (pasted.what === 'transaction') navigate(`/transaction?${new URLSearchParams({ hash: pasted.text })}`);
  };
  return (
    <search>
      <form
        className={isLarge ? 'ask large' : 'ask'}
        onSubmit={(event) => {
          event.preventDefault();
          open();
        }}
      >
        <label>
          <span className={isLarge ? '' : 'hidden'}>Address or transaction, or a link to one</span>
          <input
            ref={input}
            type="search"
            value={text}
            onChange={(event) => setText(event.target.value)}
            placeholder="Paste an address or a transaction"
            spellCheck={false}
            autoComplete="off"
          />
        </label>
        {chains.length > 1 && (
          <label>
            <span className="hidden">Chain</span>
            <select value={chain} onChange={(event) => setChain(event.target.value)}>
              {chains.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        {pasted.what !== 'transaction' && (
          <label>
            <span className="hidden">Question</span>
            <select value={path} onChange={(event) => setPath(event.target.value as Path)}>
              {QUESTIONS.map((it) => (
                <option key={it.path} value={it.path}>
                  {it.words}
                </option>
              ))}
            </select>
          </label>
        )}
        <button type="submit" disabled={pasted.what !== 'address' && pasted.what !== 'transaction'}>
          Ask
        </button>
        {isLarge && <Price tariff={question.tariff} />}
        <p role="status" className="hint">
          {hintOf(pasted.what)}
        </p>
      </form>
    </search>
  );
};

const hintOf = (what: ReturnType<typeof readPaste>['what']): string => {
  switch (what) {
    case 'transaction':
      return 'This is a transaction: its movements are shown.';
    case 'unknown':
      return 'This holds no address and no transaction of Solana or of an EVM chain.';
    default:
      return '';
  }
};

const useChains = (family: 'evm' | 'solana' | null): readonly string[] => {
  const known = useStatus().data?.components.chains.map(({ chain }) => chain) ?? [];
  if (family === null) return [];
  if (family === 'solana') return ['solana'];
  const evm = known.filter((name) => name !== 'solana');
  return evm.length > 0 ? evm : ['ethereum'];
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select');
