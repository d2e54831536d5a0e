import { resolve } from "node:path"
import { buildAgent } from "./agent/build-agent.ts"

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error("Name the folder for the agent: npm run build:agent -- examples/enclave/agent")
  process.exitCode = 2
} else {
  await buildAgent(resolve(folder))
  console.log(`The agent is in ${resolve(folder)}.`)
}
