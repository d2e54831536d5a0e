import type { Addresses } from "./addresses.ts"
import type { Credentials } from "./credentials-file.ts"

/** What a start prints when it is ready: where the service is, and commands that work when pasted. */
export function announce(
  { url, relayUrl, proxyUrl, caUrl }: Addresses,
  credentials: Credentials,
  dataFolder: string,
  token: string,
): string {
  const [sandbox, production] = credentials.apps
  if (sandbox === undefined || production === undefined) throw new TypeError("A first start makes two apps")
  const command = (path: string, body: string) =>
    `  curl -u ${sandbox.id}:${sandbox.apiKey} ${url}${path} -H 'Content-Type: application/json' -d '${body}'`
  return `
Sealway is ready at ${url}    (OpenAPI: ${url}/openapi.json)

  team        ${credentials.teamId}   key ${credentials.teamKey}
  sandbox     ${sandbox.id}    key ${sandbox.apiKey}
  production  ${production.id}    key ${production.apiKey}

  relays      ${relayUrl}    by Host header, such as http://<relay domain>:${new URL(relayUrl).port}
  proxy       ${proxyUrl}    its certificates are issued by ${caUrl}

Encrypt:
${command("/encrypt", '{"name": "Ada Lovelace", "card": "4242424242424242", "age": 36}')}

Decrypt:
${command("/decrypt", `{"card": "${token}"}`)}

Fingerprint, without decrypting:
${command("/fingerprint", `{"token": "${token}"}`)}

Data and keys are kept in ${dataFolder}. Stop with Ctrl-C.
`
}

/** A token of the sandbox app, for the commands to decrypt. */
export async function encryptSample(url: string, { apps: [sandbox] }: Credentials): Promise<string> {
  if (sandbox === undefined) throw new TypeError("A first start makes two apps")
  const response = await fetch(`${url}/encrypt`, {
    method: "POST",
    headers: { "content-type": "application/json", "api-key": sandbox.apiKey },
    body: '"4242424242424242"',
  })
  const token: unknown = await response.json()
  if (!response.ok || typeof token !== "string")
    throw new Error(`The service answered ${response.status} at its start`)
  return token
}
