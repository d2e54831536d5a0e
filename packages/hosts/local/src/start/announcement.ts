import type { Addresses } from "../addresses/addresses.ts"
import type { EmbeddedCloud } from "../cloud/start-embedded-cloud.ts"
import type { Credentials } from "../credentials/credentials-file.ts"

/** Returns what a start prints when it is ready: the address of the service, and commands that can be pasted. */
export function announce(
  addresses: Addresses,
  credentials: Credentials,
  functions: EmbeddedCloud["functions"],
  dataFolder: string,
  { token, signInUrl }: { readonly token: string; readonly signInUrl: string },
): string {
  const [sandbox, production] = credentials.apps
  if (sandbox === undefined || production === undefined) throw new TypeError("A first start makes two apps")
  const command = (path: string, body: string) =>
    `  curl -u ${sandbox.id}:${sandbox.apiKey} ${inShell(addresses.url + path)} -H 'Content-Type: application/json' -d '${body}'`
  return `
${readyAt(addresses)}

  team        ${credentials.teamId}   key ${credentials.teamKey}
  sandbox     ${sandbox.id}    key ${sandbox.apiKey}
  production  ${production.id}    key ${production.apiKey}

${describeParts(addresses, functions)}
  sign in     ${signInUrl}    once, within 5 minutes

Encrypt:
${command("/encrypt", '{"name": "Ada Lovelace", "card": "4242424242424242", "age": 36}')}

Decrypt:
${command("/decrypt", `{"card": "${token}"}`)}

Fingerprint, without decrypting:
${command("/fingerprint", `{"token": "${token}"}`)}

Data and keys are stored in ${dataFolder}. Stop with Ctrl-C.
`
}

/** Returns the same for output that others may read, such as the log of a container. */
export function announceWithoutKeys(
  addresses: Addresses,
  functions: EmbeddedCloud["functions"],
  dataFolder: string,
): string {
  return `
${readyAt(addresses)}

${describeParts(addresses, functions)}

Data and keys are stored in ${dataFolder}. The keys are in credentials.json and, as shell variables, in env.
`
}

function readyAt({ url }: Addresses): string {
  return `Sealway is ready at ${url}    (OpenAPI: ${url}/openapi.json)`
}

function describeParts(
  { relayUrl, proxyUrl, strictProxyUrl, caUrl }: Addresses,
  functions: EmbeddedCloud["functions"],
): string {
  return `  relays      ${relayUrl}    chosen by the Host header, such as http://<relay domain>:${new URL(relayUrl).port}
  proxy       ${proxyUrl}    CA certificates at ${caUrl}
              ${strictProxyUrl}    for clients that send credentials only when challenged
  functions   ${describeFunctions(functions)}`
}

/** Some shells treat the brackets of an IPv6 address as a file name pattern. */
function inShell(url: string): string {
  return url.includes("[") ? `'${url}'` : url
}

const CONFINEMENTS: Readonly<Record<EmbeddedCloud["functions"]["confinement"], string>> = {
  namespaces: "confined by namespaces, Landlock and seccomp",
  landlock: "confined by Landlock and seccomp",
  seccomp: "confined by seccomp and Node.js's permissions",
  none: "unconfined, as you asked",
}

const NETWORKS: Readonly<Record<EmbeddedCloud["functions"]["network"], string>> = {
  public: "connected to public addresses",
  private: "connected to public and private addresses",
  none: "without network",
  host: "on this machine's network",
}

/** Describes which functions run, how they are confined, and what they may connect to. */
export function describeFunctions(functions: EmbeddedCloud["functions"]): string {
  const described = describeConfinement(functions)
  return functions.languages.length === 0 ? described : `${described}; ${NETWORKS[functions.network]}`
}

function describeConfinement({ confinement, languages }: EmbeddedCloud["functions"]): string {
  const refused = "refused, because this machine cannot confine them (docs/running-locally.md)"
  if (languages.length === 0) return refused
  const node = `Node.js ${CONFINEMENTS[confinement]}`
  if (!languages.includes("python")) return `${node}; Python ${refused}`
  return confinement === "seccomp"
    ? `${node}; Python ${CONFINEMENTS.none}`
    : `Node.js and Python, ${CONFINEMENTS[confinement]}`
}

/** Creates a token of the sandbox app, for the commands to decrypt. */
export async function encryptSample(url: string, { apps: [sandbox] }: Credentials): Promise<string> {
  if (sandbox === undefined) throw new TypeError("A first start makes two apps")
  const response = await fetch(`${url}/encrypt`, {
    method: "POST",
    headers: { "content-type": "application/json", "api-key": sandbox.apiKey },
    body: '"4242424242424242"',
  })
  const token: unknown = await response.json()
  if (!response.ok || typeof token !== "string")
    throw new Error(`The service responded ${response.status} at start`)
  return token
}
