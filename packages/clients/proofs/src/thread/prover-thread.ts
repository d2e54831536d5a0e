import { parentPort, workerData } from "node:worker_threads"
import { createCedarSession, instantiateCedar } from "@sealway/policies/analysis"
import { describeAccess, describeChange } from "../questions/access.ts"
import { lintPolicies } from "../questions/lint.ts"
import { createZ3 } from "../solver/z3-solver.ts"
import type { ProverTask, ThreadAnswer } from "./ask-in-thread.ts"

const { question, limitMs, solverMemoryMb }: ProverTask = workerData
const solvers = createZ3({ limitMs, memoryMb: solverMemoryMb })
const session = createCedarSession(instantiateCedar)

async function answer(): Promise<ThreadAnswer> {
  if ("rules" in question) return { access: await describeAccess(solvers, session, question) }
  const { before: _, after, ...about } = question
  return {
    change: {
      ...(await describeChange(solvers, session, question)),
      warnings: await lintPolicies(solvers, session, { rules: after, ...about }),
    },
  }
}

parentPort?.postMessage(await answer())
await solvers.close()
