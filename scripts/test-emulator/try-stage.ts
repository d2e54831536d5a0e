import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { CloudFrontClient } from "@aws-sdk/client-cloudfront"
import { DynamoDBClient } from "@aws-sdk/client-dynamodb"
import { LambdaClient } from "@aws-sdk/client-lambda"
import { connectAccount } from "../../infra/empty-stage/aws-account.ts"
import { emptyStage } from "../../infra/empty-stage/empty-stage.ts"
import { buildApp } from "../../stacks/app.ts"
import { bundleFunctions } from "../../stacks/bundles/bundle-functions.ts"
import { checkStage, resolveStage, type StageConfig } from "../../stacks/config.ts"
import { MINIMAL_RELAY } from "../check-stacks/stage-kinds.ts"
import { createConnectionGroup, tagBuckets } from "./by-hand.ts"
import { checkDashboardFiles } from "./check-dashboard-files.ts"
import { checkDiff } from "./check-diff.ts"
import { checkEdge } from "./check-edge.ts"
import { checkFiles } from "./check-files.ts"
import { beginRestore } from "./check-restore.ts"
import { checkRoutes } from "./check-routes.ts"
import { checkThreeDSecure } from "./check-three-d-secure.ts"
import { deployAssembly } from "./deploy-assembly.ts"
import { startDomainAddress } from "./domain-address.ts"
import { EMULATOR_CREDENTIALS, startEmulator } from "./emulator.ts"
import { bootstrap } from "./service.ts"
import { checkDecryption, checkFunction, checkRelay, checkTags } from "./smoke.ts"
import { BY_HAND, CHANGED_VARIABLES, STRIPPED_TYPES, strippingWith } from "./stripped.ts"

export interface TrialOptions {
  /** The command of the emulator. */
  readonly command: string
  /** A folder for any files. */
  readonly folder: string
  readonly say: (line: string) => void
}

/** With a domain, all of a stage's APIs are used. */
const DOMAIN = "api.example.com"
/** Longest pause between two checks of CloudFront, which is quicker here. */
const MAX_PAUSE_MS = 500

/**
 * Deploys a stage with a domain, relays and a dashboard to the emulator, uses it, empties it and removes it.
 *
 * @throws Error saying what does not work
 */
export async function tryStage({ command, folder, say }: TrialOptions): Promise<void> {
  const stage = checkStage({
    ...resolveStage("dev"),
    domain: { name: DOMAIN, certificateArn: MINIMAL_RELAY.certificateArn },
    relay: MINIMAL_RELAY,
    dashboard: { domain: null },
  })
  const bundles = await bundleFunctions(join(folder, "bundles"))
  // `npm run check:stacks` validates the templates.
  process.env.CDK_VALIDATION = "false"
  const synthesize = (wanted: StageConfig, name: string) =>
    buildApp({ stage: wanted, outFolder: join(folder, name), bundles }).synth().directory
  const assembly = synthesize(stage, "assembly")

  await using emulator = await startEmulator(command, folder)
  const { endpoint } = emulator
  const config = { region: stage.region, endpoint, credentials: EMULATOR_CREDENTIALS }
  // How the tested programs find the emulator, and this one's clients.
  const environment = {
    AWS_REGION: stage.region,
    AWS_ACCESS_KEY_ID: EMULATOR_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: EMULATOR_CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL: endpoint,
  }
  Object.assign(process.env, environment)

  tellWhatIsLeftOut(say)
  say("Deployed:")
  const stripping = strippingWith(await createConnectionGroup(config))
  const deployed = await deployAssembly(assembly, { config, stripping, report: say })
  await tagBuckets(config, deployed.stacks)
  say("Used:")
  await using address = await startDomainAddress(DOMAIN, endpoint)
  const service = await bootstrap(address.url, stage.stage, deployed.outputs, stage.region, environment)
  say("  sealway bootstrap makes the first keys")
  say(`  ${await checkRoutes(service)} routes of three APIs, joined by a domain, answer a stranger`)
  await checkDecryption(service)
  say("  values are encrypted, decrypted where a policy permits it, and refused where none does")
  await checkFunction(service)
  say("  a function is deployed, runs at once and by way of SQS, and a signed webhook tells of it")
  await checkThreeDSecure(service)
  say("  a 3-D Secure session goes through the method page and the challenge of the sandbox's issuer")
  await checkFiles(service, join(folder, "files"))
  say("  a file is uploaded in parts, by URLs that are signed for S3, and downloaded")
  const [lambda, cloudfront] = [new LambdaClient(config), new CloudFrontClient(config)]
  await checkEdge(service, cloudfront)
  say("  the API believes the dashboard's edge, and nobody else, who calls it")
  await checkRelay({
    service,
    bundles,
    lambda,
    cloudfront,
    environment,
    stage: stage.stage,
    folder: join(folder, "relay"),
  })
  say(
    "  a relay is made, and a request goes through it. Its function runs beside the emulator, which streams no answers",
  )
  await checkTags(connectAccount(stage.region, endpoint).tags, stage.stage)
  say("  the function and the relay's distribution tenant carry the tags of the stage")

  await checkDashboardFiles(stage.stage, deployed, config)
  say("  the dashboard is built and uploaded as after a deployment without SST")
  await checkDiff(config)
  say("  CloudFormation compares a stack with what it could become, and says what would be replaced")

  say("Restored:")
  const restoring = await beginRestore(service, deployed, new DynamoDBClient(config))
  const { restoredTables } = restoring
  await deployAssembly(synthesize({ ...stage, restoredTables }, "restored"), {
    config,
    stripping,
    report: () => undefined,
  })
  await restoring.check()
  say("  the config table as it was before a mistake, by the setting restoredTables")

  say("Removed:")
  const status = await emptyStage({
    stage: stage.stage,
    isDryRun: false,
    isConfirmed: true,
    confirm: null,
    print: (line) => say(`  ${line}`),
    sleep: (ms) => sleep(Math.min(ms, MAX_PAUSE_MS)),
    connect: (region) => connectAccount(region, endpoint),
  })
  if (status !== 0) throw new Error(`Emptying the stage ended with status ${status}.`)
  await deployed.remove()
  say(`  ${deployed.stacks.length} stacks`)
}

function tellWhatIsLeftOut(say: TrialOptions["say"]): void {
  say("Left out of the templates:")
  for (const [type, reason] of STRIPPED_TYPES) say(`  ${type}: ${reason}`)
  say("Changed in the environment of functions:")
  for (const [name, { value, reason }] of CHANGED_VARIABLES)
    say(`  ${name} ${value === null ? "is left out" : `is ${value}`}: ${reason}`)
  say("Done by hand:")
  for (const each of BY_HAND) say(`  ${each}`)
}
