import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The page's script and styles, and the hash of what they were built from. */
export type Bundle = { readonly hash: string; readonly script: Buffer; readonly style: Buffer };

const ROOT = join(import.meta.dirname, '../../..');
const APP = join(import.meta.dirname, '../app');
/** All that the page may import of the service: itself, the client, and prices. */
const SOURCES = [APP, join(ROOT, 'services/sdk'), join(ROOT, 'services/credits/decider')];
/** Where builds are kept. The image is built with one in it. */
const KEPT = join(ROOT, 'node_modules/.cache/spoor-console');

/**
 * The page's script and styles. They are built from the sources at the first call and kept by hash, so that
 * nobody has to build anything. Throws what esbuild says of broken sources.
 */
export const readBundle = async (kept = KEPT): Promise<Bundle> => {
  const hash = await hashSources();
  const files = { script: join(kept, `${hash}.js`), style: join(kept, `${hash}.css`) };
  return { hash, ...((await readKept(files)) ?? (await buildAndKeep(files))) };
};

type Files = Readonly<Record<'script' | 'style', string>>;
type Built = Readonly<Record<keyof Files, Buffer>>;

/** What it imports beside that would change the page under the same hash, and might tell the browser too much. */
const isAllowed = (file: string): boolean =>
  file.startsWith(join(ROOT, 'node_modules/')) || SOURCES.some((folder) => file.startsWith(`${folder}/`));

const hashSources = async (): Promise<string> => {
  const hash = createHash('sha256');
  const files = (await Promise.all(SOURCES.map(listSources))).flat().sort();
  for (const file of [...files, join(ROOT, 'package-lock.json')]) {
    const bytes = await readFile(file);
    hash.update(`${file.slice(ROOT.length)} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex').slice(0, 16);
};

const listSources = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true }))
    .filter((name) => /\.(ts|tsx|css)$/.test(name) && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));

const readKept = async ({ script, style }: Files): Promise<Built | null> => {
  try {
    return { script: await readFile(script), style: await readFile(style) };
  } catch {
    return null;
  }
};

const buildAndKeep = async ({ script, style }: Files): Promise<Built> => {
  const built = await build();
  // Where nothing may be written, as in a container with a read-only file system, each start builds anew.
  await Promise.all([keep(script, built.script), keep(style, built.style)]).catch(() => undefined);
  return built;
};

/** Two processes may build at once: each file appears whole. */
const keep = async (path: string, bytes: Buffer): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${process.pid}`;
  await writeFile(part, bytes);
  await rename(part, path);
};

const build = async (): Promise<Built> => {
  // Loaded only where something must be built.
  const { build: bundle } = await import('esbuild');
  const { outputFiles, metafile } = await bundle({
    entryPoints: [join(APP, 'main.tsx')],
    outdir: KEPT,
    bundle: true,
    write: false,
    metafile: true,
    absWorkingDir: ROOT,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    legalComments: 'none',
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  for (const input of Object.keys(metafile.inputs))
    if (!isAllowed(join(ROOT, input))) throw new Error(`the console must not import ${input}`);
  const find = (ending: string): Buffer => {
    const file = outputFiles.find(({ path }) => path.endsWith(ending));
    if (file === undefined) throw new Error(`the build of the console has no ${ending}`);
    return Buffer.from(file.contents);
  };
  return { script: find('.js'), style: find('.css') };
};
