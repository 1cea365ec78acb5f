type Scope = Readonly<Record<string, unknown>>;
type Node = { readonly text: string } | { readonly value: string } | Block;
type Block = { readonly head: string; readonly body: Node[]; readonly otherwise: Node[] };

/**
 * Renders the few Helm constructs that our chart uses, so that machines without Helm can check that every named
 * value exists and the result is YAML: `range $key, $value := PATH`, `if PATH`, `else`, `end`, `PATH` and `PATH |
 * quote`, with white space trimmed at `{{-`. Throws on anything else, and on a missing value.
 */
export const renderTemplate = (template: string, values: unknown): string =>
  render(parse(template), { $: { Values: values }, Values: values });

const ACTION = /(\s*\{\{-|\{\{)\s*(.*?)\s*\}\}/gs;

const parse = (template: string): Node[] => {
  const root: Block = { head: '', body: [], otherwise: [] };
  const open: { block: Block; nodes: Node[] }[] = [{ block: root, nodes: root.body }];
  const inner = () => {
    const last = open.at(-1);
    if (!last) throw new Error('an end without a beginning');
    return last;
  };
  let at = 0;
  for (const action of template.matchAll(ACTION)) {
    inner().nodes.push({ text: template.slice(at, action.index) });
    at = action.index + action[0].length;
    const code = action[2] ?? '';
    if (/^(range|if) /.test(code)) {
      const block: Block = { head: code, body: [], otherwise: [] };
      inner().nodes.push(block);
      open.push({ block, nodes: block.body });
    } else if (code === 'else') inner().nodes = inner().block.otherwise;
    else if (code === 'end') open.pop();
    else inner().nodes.push({ value: code });
  }
  if (open.length !== 1) throw new Error('a range or an if does not end');
  return [...root.body, { text: template.slice(at) }];
};

const render = (nodes: readonly Node[], scope: Scope): string =>
  nodes
    .map((node) => {
      if ('text' in node) return node.text;
      return 'value' in node ? renderValue(node.value, scope) : renderBlock(node, scope);
    })
    .join('');

const renderValue = (code: string, scope: Scope): string => {
  const [path = '', filter] = code.split(/\s*\|\s*/);
  if (filter !== undefined && filter !== 'quote') throw new Error(`not understood here: ${code}`);
  const value = String(lookUp(path, scope));
  return filter ? JSON.stringify(value) : value;
};

const renderBlock = ({ head, body, otherwise }: Block, scope: Scope): string => {
  const [, key, item, path] = /^range \$(\w+), \$(\w+) := (\S+)$/.exec(head) ?? [];
  if (key === undefined || item === undefined || path === undefined)
    return render(lookUp(head.replace(/^if /, ''), scope) ? body : otherwise, scope);
  const entries = Object.entries(lookUp(path, scope) as object);
  return entries
    .map(([name, value]) => render(body, { ...scope, [`$${key}`]: name, [`$${item}`]: value }))
    .join('');
};

const lookUp = (path: string, scope: Scope): unknown => {
  if (!/^[$.][\w.$]*$/.test(path)) throw new Error(`not understood here: ${path}`);
  let value: unknown = scope;
  for (const name of path.replace(/^\./, '').split('.')) {
    if (typeof value !== 'object' || value === null || !(name in value))
      throw new Error(`${path} does not exist`);
    value = (value as Record<string, unknown>)[name];
  }
  return value;
};
