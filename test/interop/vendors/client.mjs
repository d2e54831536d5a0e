// Does what each line of standard input says with the vendor's client, and writes what comes of it.
import { createRequire } from "node:module"
import { argv, env, stdin, stdout } from "node:process"
import { createInterface } from "node:readline"

const [, , curve] = argv
const Evervault = createRequire(import.meta.url)("@evervault/sdk")
const client = new Evervault(env.SEALWAY_APP, env.SEALWAY_API_KEY, { curve })

const ACTIONS = {
  encrypt: ({ data, role }) => client.encrypt(data, role),
  "round-trip": async ({ data }) => client.decrypt(await client.encrypt(data)),
  "round-trip-file": async ({ data }) => {
    const file = await client.decrypt(await client.encrypt(Buffer.from(data)))
    return file.toString()
  },
  decrypt: ({ data }) => client.decrypt(data),
  "client-side-token": ({ data }) => client.createClientSideDecryptToken(data),
  run: async ({ name, data }) => client.run(name, await client.encrypt(data)),
  "run-token": ({ name, data }) => client.createRunToken(name, data),
}

for await (const line of createInterface({ input: stdin })) {
  const { action, ...input } = JSON.parse(line)
  try {
    stdout.write(`${JSON.stringify({ result: (await ACTIONS[action](input)) ?? null })}\n`)
  } catch (error) {
    stdout.write(`${JSON.stringify({ error: error.message })}\n`)
  }
}
