import {
  CfnParameter,
  CliCredentialsStackSynthesizer,
  type FileAssetLocation,
  type FileAssetSource,
  type IReusableStackSynthesizer,
  type Stack,
} from "aws-cdk-lib"

/** The parameter that tells a template in which bucket its functions' code is. */
const ASSETS_BUCKET = "AssetsBucket"

/**
 * Creates what writes the templates of an app, see `AssemblySynthesizer`. The cast changes nothing: the CDK's types do
 * not distinguish an absent property from an undefined one, as ours do.
 */
export function assemblySynthesizer(): IReusableStackSynthesizer {
  return new AssemblySynthesizer() as IReusableStackSynthesizer
}

/**
 * Leaves the bucket of assets open, so that the deployment creates it and names it by a parameter: the account needs no
 * CDK bootstrap, neither its roles nor its bucket. Templates without code have no such parameter.
 */
class AssemblySynthesizer extends CliCredentialsStackSynthesizer {
  constructor() {
    super({ fileAssetsBucketName: `\${${ASSETS_BUCKET}}`, bucketPrefix: "" })
  }

  override addFileAsset(asset: FileAssetSource): FileAssetLocation {
    const location = super.addFileAsset(asset)
    const stack = this.boundStack
    // The template is an asset as well, added when the template has been written.
    if (asset.fileName?.endsWith(".template.json") !== true) declareAssetsBucket(stack)
    return location
  }
}

function declareAssetsBucket(stack: Stack): void {
  if (stack.node.tryFindChild(ASSETS_BUCKET) !== undefined) return
  new CfnParameter(stack, ASSETS_BUCKET, {
    type: "String",
    description: "The S3 bucket that holds the code of this stack's functions",
  })
}
