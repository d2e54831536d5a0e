import { startLocalService } from "@sealway/local"
import { liftLimits } from "./lift-limits.ts"

/**
 * Sealway in memory, or in the data folder that is the argument. Prints its address and credentials; answers each line on standard input with the number of AWS
 * calls so far.
 */
let awsCalls = 0
const { url, relayUrl, credentials } = await startLocalService({
  port: 0,
  dataFolder: process.argv[2] ?? null,
  hosting: "container",
  onAwsCall: () => awsCalls++,
})
await liftLimits({ url, credentials })
console.log(JSON.stringify({ url, relayUrl, ...credentials.apps[0] }))
process.stdin.on("data", () => console.log(JSON.stringify({ awsCalls })))
