import { readFile } from "node:fs/promises"
import * as cloudformation from "@pulumi/aws/cloudformation/index.js"
import * as s3 from "@pulumi/aws/s3/index.js"
import * as pulumi from "@pulumi/pulumi"
import type { RegisterResourceRequest, RegisterResourceResponse } from "@pulumi/pulumi/proto/resource_pb.js"

const STACK = "aws:cloudformation/stack:Stack"

/** A resource as Pulumi's engine would be asked for it. */
export interface RegisteredResource {
  readonly type: string
  readonly name: string
  readonly inputs: Readonly<Record<string, unknown>>
}

/** Options of CloudFormation stacks, by name, which the engine's mock does not get. */
export type StackOptions = Map<string, pulumi.CustomResourceOptions>

/** Replaces Pulumi's engine. A stack returns `value of NAME` for every output that its template declares. */
export function mockPulumi(registered: RegisteredResource[]): void {
  const outputsOf = async (templateUrl: string): Promise<Record<string, string>> => {
    const key = templateUrl.split("/").at(-1)
    const template = registered.find(({ inputs }) => inputs.key === key)?.inputs.source
    if (!(template instanceof pulumi.asset.FileAsset)) throw new Error(`Nobody uploaded ${key}`)
    const { Outputs = {} } = JSON.parse(await readFile(await template.path, "utf8"))
    return Object.fromEntries(Object.keys(Outputs).map((name) => [name, `value of ${name}`]))
  }
  const stateOf = async (type: string, name: string, templateUrl: unknown) => {
    if (type === STACK) return { outputs: await outputsOf(String(templateUrl)) }
    if (type !== "aws:s3/bucket:Bucket") return {}
    const bucket = `bucket-${name}`.toLowerCase()
    const bucketRegionalDomainName = `${bucket}.s3.us-east-1.amazonaws.com`
    return { bucket, arn: `arn:aws:s3:::${bucket}`, bucketRegionalDomainName }
  }
  pulumi.runtime.setMocks(
    {
      async newResource({ type, name, inputs }) {
        registered.push({ type, name, inputs })
        return {
          id: `id-of-${name}`,
          state: { ...inputs, ...(await stateOf(type, name, inputs.templateUrl)) },
        }
      },
      call: () => ({}),
    },
    "sealway",
    "recorded",
    false,
  )
}

/** What Pulumi's engine learns of a resource, and its mock does not. */
export interface EngineRequest {
  readonly type: string
  readonly name: string
  readonly urn: string
  readonly inputs: unknown
  /** URNs of what must exist before it, named or implied by inputs. */
  readonly dependencies: readonly string[]
  /** Whether it remains when it is no longer wanted. */
  readonly isRetained: boolean
}

/** Lists from now on the requests to the engine of `mockPulumi`, in their order. */
export function listenToEngine(): readonly EngineRequest[] {
  const requests: EngineRequest[] = []
  const monitor = pulumi.runtime.getMonitor()
  if (monitor === undefined) throw new Error("There is no engine to listen to")
  const register: (request: RegisterResourceRequest, respond: Respond) => unknown =
    monitor.registerResource.bind(monitor)
  Object.assign(monitor, {
    registerResource(request: RegisterResourceRequest, respond: Respond) {
      const heard = {
        type: request.getType(),
        name: request.getName(),
        urn: "",
        inputs: request.getObject()?.toJavaScript(),
        dependencies: request.getDependenciesList(),
        isRetained: request.getRetainondelete() ?? false,
      }
      requests.push(heard)
      return register(request, (error, response) => {
        heard.urn = response?.getUrn() ?? ""
        respond(error, response)
      })
    },
  })
  return requests
}

type Respond = (error: Error | null, response: RegisterResourceResponse) => void

/** Puts on `globalThis` what SST does. */
export function putSstGlobals(stage: string, options: StackOptions = new Map()): void {
  class Stack extends cloudformation.Stack {
    constructor(name: string, args: cloudformation.StackArgs, given: pulumi.CustomResourceOptions) {
      options.set(name, given)
      super(name, args, given)
    }
  }
  Object.assign(globalThis, {
    $config: (config: unknown) => config,
    $app: { name: "sealway", stage },
    $util: pulumi,
    $interpolate: pulumi.interpolate,
    aws: { s3, cloudformation: { ...cloudformation, Stack } },
  })
}

/** Returns the URNs of what must exist before a stack. */
export async function dependenciesOf({ dependsOn }: pulumi.CustomResourceOptions): Promise<string[]> {
  const resources = Array.isArray(dependsOn) ? dependsOn : []
  return Promise.all(
    resources.map((each) => new Promise<string>((resolve) => pulumi.output(each).urn.apply(resolve))),
  )
}

/** Resolves to the values of outputs, when every resource has been registered. */
export async function settled(
  outputs: Readonly<Record<string, pulumi.Input<string>>>,
): Promise<Record<string, string>> {
  const values = await new Promise<Record<string, string>>((resolve) => {
    pulumi.all(outputs).apply(resolve)
  })
  await pulumi.runtime.disconnect()
  return values
}
