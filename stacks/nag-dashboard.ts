import type { Acknowledgement } from "./acknowledgement.ts"
import type { StageDashboard } from "./config.ts"

const STACK = "dashboard"

/** Returns the findings that a stage with a dashboard has, besides those of every stage. */
export function dashboardAcknowledgements({ domain }: StageDashboard): readonly Acknowledgement[] {
  return [...distribution(), ...(domain === null ? [withoutCertificate()] : []), ...bucket(), originSecret()]
}

function distribution(): readonly Acknowledgement[] {
  const where = { stack: STACK, resourceType: "AWS::CloudFront::Distribution" }
  return [
    {
      ...where,
      id: "AwsSolutions-CFR1",
      reason:
        "A team's members may be anywhere. Who may do what is decided by their session, not by their country.",
    },
    {
      ...where,
      id: "AwsSolutions-CFR2",
      reason:
        "The page is the same for everybody. What it sends goes to the API, which the stage serves at its own address too: a web " +
        "ACL here would not protect it. The API authenticates each request, and has limits of its own.",
    },
    {
      ...where,
      id: "AwsSolutions-CFR3",
      reason:
        "The page's files are the same for everybody, and each request to the API is in API Gateway's access log and, if it " +
        "changes something, in the audit log with the member who sent it. An access log would need a second bucket.",
    },
  ]
}

function withoutCertificate(): Acknowledgement {
  return {
    stack: STACK,
    resourceType: "AWS::CloudFront::Distribution",
    id: "AwsSolutions-CFR4",
    reason:
      "CloudFront chooses the versions of TLS of its own names. Browsers that run the page speak TLS 1.2 or 1.3, and a stage " +
      "with a domain for the dashboard refuses all others.",
  }
}

function bucket(): readonly Acknowledgement[] {
  const where = { stack: STACK, resourceType: "AWS::S3::Bucket" }
  const logged =
    "Only CloudFront can read the bucket, and its files are sent to whoever asks for the page. An access log would need a " +
    "second bucket, and tell nothing of members."
  const built = "The files are built from the sources again by each deployment, an earlier one included."
  return [
    { ...where, id: "AwsSolutions-S1", reason: logged },
    { ...where, id: "PCI.DSS.321-S3BucketLoggingEnabled", reason: logged },
    { ...where, id: "PCI.DSS.321-S3BucketReplicationEnabled", reason: built },
    { ...where, id: "PCI.DSS.321-S3BucketVersioningEnabled", reason: built },
    {
      ...where,
      id: "PCI.DSS.321-S3DefaultEncryptionKMS",
      reason:
        "S3 encrypts the files with its own key. They are no secret: whoever opens the page gets them. A key of the stage would " +
        "have to let CloudFront in, which it otherwise does not.",
    },
  ]
}

function originSecret(): Acknowledgement {
  return {
    stack: STACK,
    resourceType: "AWS::SecretsManager::Secret",
    id: "AwsSolutions-SMG4",
    reason:
      "The secret only makes the API believe the caller's address that CloudFront reports; it authenticates nobody. CloudFront learns " +
      "it, and functions its hash, from a deployment and at no other time: rotation by itself would part them.",
  }
}
