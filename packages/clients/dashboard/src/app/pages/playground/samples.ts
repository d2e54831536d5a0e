/** What a sample does, so that every language says the same. */
export interface SampleRequest {
  readonly origin: string
  readonly appId: string
  /** The slug of a data role; null for none. */
  readonly role: string | null
  /** The document as it was typed: valid JSON. */
  readonly document: string
}

/** The same request in a language. The key is a variable of the environment, never part of the text. */
export interface Sample {
  readonly label: string
  readonly code: string
}

/** Returns how programs encrypt the same document. */
export function samplesOf(request: SampleRequest): readonly Sample[] {
  return [
    { label: "curl", code: curlSample(request) },
    { label: "Node.js", code: nodeSample(request) },
    { label: "Python", code: pythonSample(request) },
  ]
}

function curlSample({ origin, appId, role, document }: SampleRequest): string {
  return [
    `curl -u '${appId}:'"$SEALWAY_API_KEY" ${origin}/encrypt \\`,
    "  -H 'Content-Type: application/json' \\",
    ...(role === null ? [] : [`  -H 'X-Service-Data-Role: ${role}' \\`]),
    `  --data-binary ${inShell(document)}`,
  ].join("\n")
}

function nodeSample({ origin, appId, role, document }: SampleRequest): string {
  const options = role === null ? "" : `, { role: ${JSON.stringify(role)} }`
  return `import { env } from "node:process"
import { Sealway } from "@sealway/sdk"

const sealway = new Sealway({
  appId: ${JSON.stringify(appId)},
  apiKey: env.SEALWAY_API_KEY,
  baseUrl: ${JSON.stringify(origin)},
})
// Encrypts in this process: the service does not see the values.
const sealed = await sealway.encrypt(${document}${options})
console.log(sealed)`
}

function pythonSample({ origin, appId, role, document }: SampleRequest): string {
  const header = role === null ? "" : `, "X-Service-Data-Role": ${JSON.stringify(role)}`
  return `import os
import requests

answer = requests.post(
    ${JSON.stringify(`${origin}/encrypt`)},
    auth=(${JSON.stringify(appId)}, os.environ["SEALWAY_API_KEY"]),
    headers={"Content-Type": "application/json"${header}},
    data=${JSON.stringify(document)},
)
answer.raise_for_status()
print(answer.json())`
}

/** Quotes a text for a POSIX shell. */
const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
