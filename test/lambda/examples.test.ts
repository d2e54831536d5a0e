import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdir, readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import {
  agreedContentKey,
  createKeyAgreement,
  generatePrivateKey,
  openToken,
  parseToken,
  uncompressPublicKey,
} from "@sealway/tokens"
import { parse } from "smol-toml"
import { afterAll, expect, test } from "vitest"
import { z } from "zod"
import { deploy, invoke, type Language, startHost } from "./local-host.ts"

const EXAMPLES = resolve(import.meta.dirname, "../../examples/functions")
const manifest = z.object({
  function: z.strictObject({
    name: z.string(),
    language: z.string(),
    handler: z.string(),
    timeout: z.int(),
    memory: z.int(),
  }),
})
const app = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))
const publicKey = {
  ecdhP256KeyUncompressed: uncompressPublicKey("prime256v1", app.publicKey).toString("base64"),
  debug: false,
}

// The processor is on this machine.
const { host } = await startHost({ functionNetwork: "host" })
const processor = spawn(process.execPath, [join(EXAMPLES, "fake-processor.mjs"), "0"], {
  stdio: ["ignore", "pipe", "inherit"],
})
const [processorUrl] = await once(createInterface(processor.stdout), "line")
afterAll(async () => {
  processor.kill()
  await host.close()
})

test.each<Language>(["node", "python"])(
  "charges a card and seals it again in the %s example",
  async (language) => {
    const charge = await deployExample(language)

    const { answer } = await charge("4242424242424242")

    const { result } = z.object({ result: z.looseObject({ cardOnFile: z.string() }) }).parse(answer)
    expect(result).toMatchObject({
      approved: true,
      reference: "ch_4242_1250_EUR",
      reason: null,
      lastFour: "4242",
    })
    expect(open(result.cardOnFile)).toBe("4242424242424242")
  },
)

test.each<Language>(["node", "python"])("reports a declined card in the %s example", async (language) => {
  const charge = await deployExample(language)

  expect((await charge("4000000000000002")).answer).toMatchObject({
    status: "success",
    result: { approved: false, reference: null, reason: "card-declined", lastFour: "0002", cardOnFile: null },
  })
})

test.each<Language>(["node", "python"])(
  "fails in the %s example when the processor refuses",
  async (language) => {
    const charge = await deployExample(language)

    expect((await charge("not a card")).answer).toMatchObject({
      status: "failure",
      error: { message: "The processor answered 400" },
    })
  },
)

async function deployExample(language: Language) {
  const folder = join(EXAMPLES, `${language}-charge-card`)
  const files: Record<string, string> = {}
  for (const name of await readdir(folder)) files[name] = await readFile(join(folder, name), "utf8")
  const settings = manifest.parse(parse(files["function.toml"] ?? "")).function
  files["settings.json"] = JSON.stringify({ processorUrl })
  const name = `${settings.name}-${crypto.randomUUID().slice(0, 8)}`
  const limits = { timeoutSeconds: settings.timeout, memoryMb: settings.memory }
  await deploy(host, language, name, settings.handler, files, limits)
  return (number: string) =>
    invoke(host, name, {
      payload: { card: { number, expiry: "12/30", cvc: "123" }, amount: 1250, currency: "EUR" },
      context: { functionName: settings.name, runId: "func_run_1", app: "app_1", publicKey },
    })
}

function open(text: string): string {
  const token = parseToken(text)
  if (token === null) throw new Error("not a token")
  const contentKey = agreedContentKey(token, app)
  return openToken(token, contentKey, app.publicKey).value.toString()
}
