import { resolve } from "node:path"
import { App, DefaultStackSynthesizer, type IReusableStackSynthesizer, Stack } from "aws-cdk-lib"
import { buildApp } from "./app.ts"
import { resolveStage } from "./config.ts"
import { prepareStage } from "./prepare-stage.ts"

/**
 * The app of `cdk.json`: `npx aws-cdk@2 deploy --all --context stage=<name>` deploys the same stacks without SST, by what
 * `cdk bootstrap` has created in the account. A protected stage is protected from `cdk destroy` too.
 */
const name: unknown = new App({ autoSynth: false }).node.tryGetContext("stage")
if (typeof name !== "string") throw new Error("Name the stage: --context stage=<name>")
const stage = resolveStage(name)
const outFolder = resolve(process.env.CDK_OUTDIR ?? "cdk.out")
const bundles = await prepareStage(stage, outFolder, true)
const app = buildApp({ stage, outFolder, bundles, synthesizer: bootstrapped() })
for (const stack of app.node.children.filter((each) => Stack.isStack(each))) {
  stack.terminationProtection = stage.isProtected
}
app.synth()

/** The cast is as in `synthesizer.ts`. */
function bootstrapped(): IReusableStackSynthesizer {
  return new DefaultStackSynthesizer() as IReusableStackSynthesizer
}
