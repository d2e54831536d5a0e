import * as z from "zod"
import type { Row } from "./benchmark.ts"
import { documentOf } from "./document-of.ts"
import { CONNECTIONS, type LoadTarget } from "./http-load.ts"
import { cpuMicrosecondsOf } from "./measure-process.ts"
import { median } from "./median.ts"
import { OPENBAO, startOpenBao } from "./openbao.ts"
import { choosePostLoad, type PostLoad } from "./relay/post-load.ts"
import { decryptTarget, encryptTarget, type Server, serverSchema } from "./sealway-requests.ts"
import { type ServerProcess, startSealway, startServer } from "./server-process.ts"

export const description = `\`POST /encrypt\` and \`POST /decrypt\` of \`npm start\` against a bare \`node:http\` server that parses the same JSON and writes it back, and against
OpenBao's transit engine in memory, if the environment variable \`OPENBAO\` names its program \`bao\`; each in one process on loopback, ${CONNECTIONS} connections, under load by
wrk where it is installed and autocannon elsewhere. They take turns; the figure is the median, \`ratio\` the median of the turns' ratios: how many times as much Sealway answers, and how
many times as much CPU time the other takes. OpenBao does its part of a document of 100 values by \`batch_input\`, without reading or writing the document. A warm request makes no AWS call; what is
counted reads anew what caches may not keep longer than 10 seconds.`

const ROUNDS = 7
const SECONDS = 2
const WARM_UP_SECONDS = 3
const REQUIRED_FOR_1_FIELD = 0.35
const ECHO = "echo"
const SEALWAY = "Sealway"

/** One way to do the same, in a process. */
interface Contender {
  readonly name: string
  readonly target: LoadTarget
  readonly pid: number
}

/** What a contender did in one turn. */
interface Turn {
  readonly perSecond: number
  readonly cpuMicroseconds: number
}

export async function run(): Promise<readonly Row[]> {
  const [echo, sealway, openBao] = [startServer("echo-server.ts"), startSealway(), await startOpenBao()]
  if (openBao === null) console.error("OpenBao is left out: OPENBAO does not name its program.")
  try {
    const { url } = z.object({ url: z.string() }).parse(await echo.nextLine())
    const server = serverSchema.parse(await sealway.nextLine())
    const { load } = await choosePostLoad()
    const rows: Row[] = []
    for (const values of [1, 100]) {
      for (const direction of ["encrypt", "decrypt"] as const) {
        const target = await targetOf(server, direction, values)
        const contenders = [
          { name: ECHO, target: { ...target, url }, pid: echo.pid },
          { name: SEALWAY, target, pid: sealway.pid },
          ...(openBao === null
            ? []
            : [{ name: OPENBAO, target: await openBao.targetOf(direction, values), pid: openBao.pid }]),
        ]
        const name = `${direction} ${values === 1 ? "1 value" : `${values} values`}`
        rows.push(...(await compareContenders(name, contenders, { load, sealway })))
      }
    }
    return rows
  } finally {
    for (const each of [echo, sealway, openBao]) each?.stop()
  }
}

function targetOf(
  server: Server,
  direction: "encrypt" | "decrypt",
  values: number,
): Promise<LoadTarget> | LoadTarget {
  const document = documentOf(values)
  return direction === "encrypt" ? encryptTarget(server, document) : decryptTarget(server, document)
}

async function compareContenders(
  group: string,
  contenders: readonly Contender[],
  { load, sealway }: { readonly load: PostLoad; readonly sealway: ServerProcess },
): Promise<readonly Row[]> {
  for (const { target } of contenders) await load(target, WARM_UP_SECONDS)
  const callsBefore = await awsCallsOf(sealway)
  const turns = new Map(contenders.map(({ name }): [string, Turn[]] => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, target, pid } of contenders) {
      const before = await cpuMicrosecondsOf(pid)
      const perSecond = await load(target, SECONDS)
      const cpuMicroseconds = ((await cpuMicrosecondsOf(pid)) - before) / (perSecond * SECONDS)
      turns.get(name)?.push({ perSecond, cpuMicroseconds })
    }
  }
  const own = turns.get(SEALWAY) ?? []
  const requests = own.reduce((total, { perSecond }) => total + perSecond * SECONDS, 0)
  const calls = ((await awsCallsOf(sealway)) - callsBefore) / requests
  return [
    ...[...turns].flatMap(([name, theirs]) =>
      rowsOf(`${group}: ${name}`, own, theirs, requiredOf(group, name)),
    ),
    {
      name: `${group}: AWS calls of ${SEALWAY}`,
      figure: calls * 1000,
      unit: "per 1,000 requests",
      ratio: null,
      requiredRatio: null,
    },
  ]
}

function requiredOf(group: string, name: string): number | null {
  return group === "encrypt 1 value" && name === ECHO ? REQUIRED_FOR_1_FIELD : null
}

function rowsOf(
  name: string,
  own: readonly Turn[],
  theirs: readonly Turn[],
  requiredRatio: number | null,
): readonly Row[] {
  const ratioOf = (ratio: (own: Turn, theirs: Turn) => number) =>
    own === theirs
      ? null
      : median(own.flatMap((turn, round) => (theirs[round] ? [ratio(turn, theirs[round])] : [])))
  return [
    {
      name,
      figure: median(theirs.map(({ perSecond }) => perSecond)),
      unit: "requests/s",
      ratio: ratioOf((own, theirs) => own.perSecond / theirs.perSecond),
      requiredRatio,
    },
    {
      name: `${name}, CPU`,
      figure: median(theirs.map(({ cpuMicroseconds }) => cpuMicroseconds)),
      unit: "µs/request",
      ratio: ratioOf((own, theirs) => theirs.cpuMicroseconds / own.cpuMicroseconds),
      requiredRatio: null,
    },
  ]
}

async function awsCallsOf(sealway: ServerProcess): Promise<number> {
  sealway.writeLine("")
  return z.object({ awsCalls: z.int() }).parse(await sealway.nextLine()).awsCalls
}
