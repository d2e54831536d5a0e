import { startLocalService } from "@sealway/local"
import { startEcho } from "./echo.ts"
import { liftLimits } from "./lift-limits.ts"

/**
 * Sealway in memory, or in the data folder that is the argument, and an echo beside it. Prints their addresses and the
 * credentials; answers each line on standard input with the number of AWS calls so far, once it has written what it records.
 */
let awsCalls = 0
const { url, relayUrl, credentials, platform } = await startLocalService({
  port: 0,
  dataFolder: process.argv[2] ?? null,
  hosting: "container",
  onAwsCall: () => awsCalls++,
})
await liftLimits({ url, credentials })
console.log(JSON.stringify({ url, relayUrl, echoUrl: await startEcho(), ...credentials.apps[0] }))
process.stdin.on("data", async () => {
  await Promise.all([platform.accessLog.flush(), platform.stats.flush()])
  console.log(JSON.stringify({ awsCalls }))
})
