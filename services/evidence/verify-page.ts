/** What stands in every case beside its files, for whoever is handed one. */
export const VERIFY_PAGE = `# How to check this case

\`answer.json\` is the answer. \`evidence.ndjson\` has every movement on the chain that it rests on, a line each.
\`statement.dsse.json\` is signed by the operator of the service and has the digests of both and of this page.

1. Get the operator's public key from the operator, not from whoever handed you the case: a PEM file, or
   \`/.well-known/spoor-keys.json\` of his service.
2. \`spoor verify case.zip --key spoor.pub\` checks the signature, the digests and the Merkle root.
3. \`spoor verify case.zip --key spoor.pub --blocks FOLDER\` (or \`--rpc URL\`) decodes every line again from blocks of your own.
   It needs no service and no database.

The signature alone, with openssl (3 or later), after unpacking:

\`\`\`sh
node -e '
const { payloadType: t, payload, signatures } = JSON.parse(require("fs").readFileSync("statement.dsse.json"));
const p = Buffer.from(payload, "base64");
require("fs").writeFileSync("signed", Buffer.concat([Buffer.from("DSSEv1 " + t.length + " " + t + " " + p.length + " "), p]));
require("fs").writeFileSync("sig", Buffer.from(signatures[0].sig, "base64"));'
openssl pkeyutl -verify -pubin -inkey spoor.pub -rawin -in signed -sigfile sig
\`\`\`

What is not proved: that the conclusions are right. Movements are facts; who stands behind a wallet, and which payment went on, are
inferences with the confidence that the answer tells.
`;
