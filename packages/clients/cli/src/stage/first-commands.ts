import type { FirstKeys } from "@sealway/management"

const SAMPLE = '{"name": "Ada Lovelace", "card": "4242424242424242", "age": 36}'

/** Returns what a bootstrap prints about the keys, one per line, like `npm start`. */
export function keyLines(url: string, keys: FirstKeys): string[] {
  const [sandbox, production] = firstTwo(keys)
  return [
    `Sealway is ready at ${url}    (OpenAPI: ${url}/openapi.json)`,
    "",
    `  team        ${keys.teamId}   key ${keys.teamKey}`,
    `  sandbox     ${sandbox.id}    key ${sandbox.apiKey}`,
    `  production  ${production.id}    key ${production.apiKey}`,
    "",
    "Encrypt:",
    command(url, keys, "/encrypt", SAMPLE),
  ]
}

/** Returns commands that can be pasted. @param token one that the sandbox app can decrypt */
export function tokenLines(url: string, keys: FirstKeys, token: string): string[] {
  return [
    "",
    "Decrypt:",
    command(url, keys, "/decrypt", `{"card": "${token}"}`),
    "",
    "Fingerprint, without decrypting:",
    command(url, keys, "/fingerprint", `{"token": "${token}"}`),
  ]
}

function command(url: string, keys: FirstKeys, path: string, body: string): string {
  const [{ id, apiKey }] = firstTwo(keys)
  return `  curl -u ${id}:${apiKey} ${url}${path} -H 'Content-Type: application/json' -d '${body}'`
}

function firstTwo({ apps: [sandbox, production] }: FirstKeys) {
  if (sandbox === undefined || production === undefined) throw new TypeError("There are two first apps")
  return [sandbox, production] as const
}
