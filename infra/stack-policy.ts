/**
 * Returns the stack policy of a protected stage: no update of a stack replaces or deletes a resource with data or keys.
 * Operators who mean to do it lift the policy first. Source: CloudFormation's user guide, "Prevent updates to stack
 * resources".
 */
export function protectingPolicy(): string {
  return JSON.stringify({
    Statement: [
      { Effect: "Allow", Principal: "*", Action: "Update:*", Resource: "*" },
      {
        Effect: "Deny",
        Principal: "*",
        Action: ["Update:Replace", "Update:Delete"],
        Resource: "*",
        Condition: { StringEquals: { ResourceType: ["AWS::DynamoDB::Table", "AWS::KMS::Key"] } },
      },
    ],
  })
}
