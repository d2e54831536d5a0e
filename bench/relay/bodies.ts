import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { serviceFlagsOf } from "../../scripts/node-flags.mjs"
import type { Row } from "../benchmark.ts"
import { type Comparison, compare } from "../compare.ts"
import { createDocument, createSealer, createUpload, replaceSelected, type WriteValue } from "./document.ts"

export const description = `Then, without a network: the values that a selector selects in a JSON body of 5 MB, 20,000 patients, are found and replaced, everything
else stays byte for byte; and the file of a multipart body of 25 MB is encrypted while it passes. \`ratio\` is what \`JSON.parse\` and
\`JSON.stringify\` take for the same body, changing nothing, divided by what Sealway takes, which may be 1.2 times as long. Peak memory is by
how much the task raises it in a process of its own, with the flags that \`npm start\` gives Node.js; there \`ratio\` is what is allowed divided by
what is used.`

const MEBIBYTE = 1024 * 1024
/** Sealway may take 1.2 times as long. */
const LEAST_RATIO = 0.83

/** With sealing, the output of `$..*` is several times the input. */
const PEAKS = [
  { name: "$.patients.*.name sealed", task: "names", input: createDocument, allowedMebibytes: 60 },
  { name: "$..* sealed", task: "everything", input: createDocument, allowedMebibytes: 250 },
  {
    name: "a file of 25 MB in a multipart body encrypted",
    task: "file",
    input: createUpload,
    allowedMebibytes: 40,
  },
] as const

export async function measureBodies(): Promise<readonly Row[]> {
  return [...(await times()), ...(await peaks())]
}

async function times(): Promise<readonly Row[]> {
  const document = createDocument()
  const seal = createSealer()
  const contender = (name: string, selector: string, write: WriteValue) => ({
    name,
    items: 1,
    run: () => replaceSelected(document, selector, write),
  })
  // Sealing is not compared here: the others would pay for the garbage that it leaves behind.
  const [replaced, json] = await compare(
    [
      contender("$.patients.*.name replaced by text of the same length", "$.patients.*.name", sameLength),
      {
        name: "JSON.parse and JSON.stringify",
        items: 1,
        run: () => Buffer.from(JSON.stringify(JSON.parse(document.toString()))),
      },
    ],
    { sliceMs: 100 },
  )
  const sealed = await compare(
    [
      contender("$.patients.*.name sealed", "$.patients.*.name", seal),
      contender("$..* sealed", "$..*", seal),
    ],
    { rounds: 5, sliceMs: 100 },
  )
  return [...rowsOf([replaced], null), ...rowsOf([json], LEAST_RATIO), ...rowsOf(sealed, null)]
}

/** Sealway's own lines have no ratio. */
function rowsOf(
  comparisons: readonly (Comparison | undefined)[],
  requiredRatio: number | null,
): readonly Row[] {
  return comparisons
    .filter((comparison) => comparison !== undefined)
    .map(({ name, microseconds, ratio }) => ({
      name,
      figure: microseconds / 1000,
      unit: "ms",
      ratio: requiredRatio === null ? null : ratio,
      requiredRatio,
    }))
}

const FILLER = Buffer.alloc(64, "x")

/** Returns a text of the same length. Names are shorter. */
function sameLength(_type: string, text: Buffer): Buffer {
  return FILLER.subarray(0, text.length)
}

async function peaks(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-bench-"))
  try {
    const script = fileURLToPath(new URL("peak-memory.ts", import.meta.url))
    const rows: Row[] = []
    for (const { name, task, input: createInput, allowedMebibytes } of PEAKS) {
      const [input, output] = [join(folder, "input"), join(folder, "output")]
      await writeFile(input, createInput())
      const args = [...serviceFlagsOf(process.versions.node), script, task, input, output]
      const { stdout } = await promisify(execFile)(process.execPath, args)
      const figure = Number(stdout) / MEBIBYTE
      rows.push({
        name: `peak memory: ${name}`,
        figure,
        unit: "MiB",
        ratio: allowedMebibytes / figure,
        requiredRatio: 1,
      })
    }
    return rows
  } finally {
    await rm(folder, { recursive: true })
  }
}
