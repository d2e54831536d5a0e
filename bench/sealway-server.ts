import { startLocalService } from "@sealway/local"
import * as z from "zod"
import { startEcho } from "./echo.ts"
import { liftLimits } from "./lift-limits.ts"

/**
 * Sealway with the `SealwayOptions` that are the argument, and an echo beside it. Prints their addresses and the
 * credentials; answers each line on standard input with the number of AWS calls so far, once it has written what it
 * records.
 */
const optionsSchema = z.object({ dataFolder: z.string().nullable(), enclaveRoot: z.string().nullable() })
let awsCalls = 0
const { url, relayUrl, credentials, platform } = await startLocalService({
  port: 0,
  ...optionsSchema.parse(JSON.parse(process.argv[2] ?? "")),
  hosting: "container",
  onAwsCall: () => awsCalls++,
})
await liftLimits({ url, credentials })
const { apps, teamKey } = credentials
console.log(JSON.stringify({ url, relayUrl, echoUrl: await startEcho(), teamKey, ...apps[0] }))
process.stdin.on("data", async () => {
  await Promise.all([platform.accessLog.flush(), platform.stats.flush()])
  console.log(JSON.stringify({ awsCalls }))
})
