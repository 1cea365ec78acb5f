import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { EngineMissingError } from '../engines/engine-missing-error.ts';
import { fetchOnce } from '../engines/fetch-once.ts';
import { fetchWithMaven } from '../engines/fetch-with-maven.ts';
import { runToEnd } from '../engines/run-to-end.ts';

const HERE = import.meta.dirname;
const CLICKHOUSE_CONNECT = 'clickhouse-connect==1.12.0';
const SCHEMATHESIS = 'schemathesis==4.32.5';
const PANDAS = 'pandas[parquet]==3.1.1';
const PYTHON_CLIENTS = 'openapi-python-client==0.29.1';

/** Runs a tool of an analyst with these arguments; resolves with what it prints. */
export type Tool = (args: readonly string[]) => Promise<string>;
export type FoundTool = { readonly run: Tool } | { readonly missing: string };

const find = async (prepare: () => Promise<Tool>): Promise<FoundTool> => {
  try {
    return { run: await prepare() };
  } catch (error) {
    if (error instanceof EngineMissingError) return { missing: error.message };
    throw error;
  }
};

/** Where pip has put a package of PyPI, and what that one needs. */
const fetchWithPip = (wanted: string): Promise<string> =>
  fetchOnce(wanted.replace('==', '-'), (draft) =>
    runToEnd('python3', ['-m', 'pip', 'install', '--quiet', '--target', draft, wanted]).catch(
      (cause: unknown) => {
        throw new EngineMissingError(
          `python3 with pip could not fetch ${wanted}: they must be installed, and PyPI in reach`,
          { cause },
        );
      },
    ),
  );

/** `ask.py` with clickhouse-connect. */
export const findPython = (): Promise<FoundTool> =>
  find(async () => {
    const packages = await fetchWithPip(CLICKHOUSE_CONNECT);
    return (args) => runToEnd('env', [`PYTHONPATH=${packages}`, 'python3', join(HERE, 'ask.py'), ...args]);
  });

/** Prints the rows of a Parquet file as pandas reads them. */
export const findPandas = (): Promise<FoundTool> =>
  find(async () => {
    const packages = await fetchWithPip(PANDAS);
    return (args) =>
      runToEnd('env', [`PYTHONPATH=${packages}`, 'python3', join(HERE, 'read_parquet.py'), ...args]);
  });

/** The fuzzer that makes requests from an OpenAPI document. */
export const findSchemathesis = (): Promise<FoundTool> =>
  find(async () => {
    const packages = await fetchWithPip(SCHEMATHESIS);
    const program = join(packages, 'bin', 'schemathesis');
    // It leaves a folder of what it found where it runs.
    return (args) => runToEnd('env', [`PYTHONPATH=${packages}`, 'python3', program, ...args], tmpdir());
  });

/** Makes a client of the API document at the first path in the folder at the second, and reads each example with it. */
export const findPythonClients = (): Promise<FoundTool> =>
  find(async () => {
    const packages = await fetchWithPip(PYTHON_CLIENTS);
    const bin = join(packages, 'bin');
    // It tidies what it made with ruff, which lies beside it.
    const env = [`PYTHONPATH=${packages}`, `PATH=${bin}${delimiter}${process.env.PATH ?? ''}`];
    const makes = [join(bin, 'openapi-python-client'), 'generate', '--meta', 'none', '--fail-on-warning'];
    return async ([document = '', folder = '']) => {
      await runToEnd('env', [...env, 'python3', ...makes, '--path', document, '--output-path', folder]);
      return runToEnd('env', [...env, 'python3', join(HERE, 'read_examples.py'), folder, document]);
    };
  });

/** `Ask.java` with the JDBC driver, which Maven fetches. */
export const findJava = (): Promise<FoundTool> =>
  find(async () => {
    const pom = join(HERE, 'pom.xml');
    const version = /<jdbc\.version>([\d.]+)</.exec(readFileSync(pom, 'utf8'))?.[1] ?? '';
    const jars = await fetchWithMaven(`clickhouse-jdbc-${version}`, [
      ...['--file', pom],
      ...['dependency:copy-dependencies', '-DincludeScope=runtime'],
    ]);
    return (args) => runToEnd('java', ['--class-path', join(jars, '*'), join(HERE, 'Ask.java'), ...args]);
  });
