import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { createKeyAgreement, createSealingKey, generatePrivateKey, sealFile } from "@sealway/tokens"
import { encryptJson } from "@sealway/vault/encrypt-json"
import type { Row } from "./benchmark.ts"

export const description = `By how much a task raises the peak of resident memory, as the operating system counts it, each in a process of its own.
\`ratio\` is what is allowed divided by what is used.`

const MEBIBYTE = 1024 * 1024
const DOCUMENT_BYTES = 5 * MEBIBYTE
const DOCUMENT_VALUES = 50_000
const FILE_BYTES = 25 * MEBIBYTE

interface Task {
  readonly name: string
  readonly task: string
  readonly input: string
  readonly allowedMebibytes: number
}

export async function run(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-bench-"))
  try {
    const privateKey = generatePrivateKey("prime256v1")
    const inputs = await writeInputs(folder, createKeyAgreement("prime256v1", privateKey).publicKey)
    const tasks: readonly Task[] = [
      {
        name: "encrypt JSON of 5 MB, 50,000 values",
        task: "encrypt-json",
        input: inputs.json,
        allowedMebibytes: 200,
      },
      {
        name: "decrypt what comes of it",
        task: "decrypt-json",
        input: inputs.sealedJson,
        allowedMebibytes: 200,
      },
      {
        name: "encrypt a file of 25 MB as a stream",
        task: "encrypt-file",
        input: inputs.file,
        allowedMebibytes: 60,
      },
      {
        name: "decrypt it as a stream",
        task: "decrypt-file",
        input: inputs.sealedFile,
        allowedMebibytes: 60,
      },
    ]
    const rows: Row[] = []
    for (const { name, task, input, allowedMebibytes } of tasks) {
      const script = fileURLToPath(new URL("memory-task.ts", import.meta.url))
      const args = [script, task, privateKey.toString("hex"), input, join(folder, "output")]
      const { stdout } = await promisify(execFile)(process.execPath, args)
      const figure = Number(stdout) / MEBIBYTE
      rows.push({ name, figure, unit: "MiB", ratio: allowedMebibytes / figure, requiredRatio: 1 })
    }
    return rows
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function writeInputs(folder: string, appPublicKey: Buffer) {
  const key = createSealingKey({ appPublicKey, debug: false })
  const json = documentOf(DOCUMENT_VALUES, DOCUMENT_BYTES)
  const file = Buffer.alloc(FILE_BYTES, "sealway")
  const inputs = {
    json,
    sealedJson: (await encryptJson(json, () => key, { role: null, encryptedAt: null })).bytes,
    file,
    sealedFile: sealFile(file, key),
  }
  const paths = { json: "", sealedJson: "", file: "", sealedFile: "" }
  for (const name of ["json", "sealedJson", "file", "sealedFile"] as const) {
    paths[name] = join(folder, name)
    await writeFile(paths[name], inputs[name])
  }
  return paths
}

/** Returns a JSON object of so many string values that has so many bytes, give or take one for each value. */
function documentOf(values: number, bytes: number): Buffer {
  const member = (index: number, value: string) => `"field${String(index).padStart(5, "0")}":"${value}"`
  const valueBytes = Math.floor(bytes / values) - member(0, "").length - 1
  const members = Array.from({ length: values }, (_, index) =>
    member(index, String(index).padEnd(valueBytes, "x")),
  )
  return Buffer.from(`{${members.join(",")}}`)
}
