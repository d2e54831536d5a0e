import type { Bucket } from "@pulumi/aws/s3/index.js"
import type { Resource } from "@pulumi/pulumi"
import type { AssemblyAsset } from "./assembly.ts"

export interface AssetsBucket {
  readonly bucket: Bucket
  /** The assets in it, and what makes it private. */
  readonly contents: readonly Resource[]
}

/** How long an earlier deployment can be restored. */
const KEPT_DAYS = 90
const UPLOAD_DAYS = 1

/**
 * Creates the bucket that functions' code and templates are uploaded to: private, encrypted, versioned, TLS only.
 *
 * @param isProtected whether the bucket may only be deleted when it is empty
 */
export function createAssetsBucket(
  stage: string,
  assets: readonly AssemblyAsset[],
  isProtected: boolean,
): AssetsBucket {
  const { s3 } = aws
  // The bucket's own name is this one and some random characters.
  const bucket = new s3.Bucket(`sealway-${stage}-assets`, { forceDestroy: !isProtected })
  const place = { bucket: bucket.bucket }
  const access = new s3.BucketPublicAccessBlock("AssetsAccess", {
    ...place,
    blockPublicAcls: true,
    blockPublicPolicy: true,
    ignorePublicAcls: true,
    restrictPublicBuckets: true,
  })
  const ownership = new s3.BucketOwnershipControls("AssetsOwnership", {
    ...place,
    rule: { objectOwnership: "BucketOwnerEnforced" },
  })
  const encryption = new s3.BucketServerSideEncryptionConfiguration("AssetsEncryption", {
    ...place,
    rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: "AES256" } }],
  })
  const versioning = new s3.BucketVersioning("AssetsVersioning", {
    ...place,
    versioningConfiguration: { status: "Enabled" },
  })
  new s3.BucketLifecycleConfiguration(
    "AssetsLifecycle",
    {
      ...place,
      rules: [
        {
          id: "forget-old-deployments",
          status: "Enabled",
          filter: {},
          noncurrentVersionExpiration: { noncurrentDays: KEPT_DAYS },
          abortIncompleteMultipartUpload: { daysAfterInitiation: UPLOAD_DAYS },
        },
      ],
    },
    { dependsOn: [versioning] },
  )
  const policy = new s3.BucketPolicy(
    "AssetsPolicy",
    { ...place, policy: bucket.arn.apply(tlsOnly) },
    { dependsOn: [access] },
  )
  const guards = [access, ownership, encryption, versioning, policy]
  const objects = assets.map(
    ({ key, path, packaging }) =>
      new s3.BucketObjectv2(
        `Asset-${key}`,
        {
          ...place,
          key,
          source: packaging === "zip" ? new $util.asset.FileArchive(path) : new $util.asset.FileAsset(path),
        },
        { dependsOn: guards },
      ),
  )
  return { bucket, contents: [...guards, ...objects] }
}

function tlsOnly(arn: string): string {
  const statement = {
    Sid: "TlsOnly",
    Effect: "Deny",
    Principal: "*",
    Action: "s3:*",
    Resource: [arn, `${arn}/*`],
    Condition: { Bool: { "aws:SecureTransport": "false" } },
  }
  return JSON.stringify({ Version: "2012-10-17", Statement: [statement] })
}
