import type {
  CreateLogGroupCommandInput,
  DeleteLogGroupCommandInput,
  FilterLogEventsCommandInput,
  FilterLogEventsCommandOutput,
  PutRetentionPolicyCommandInput,
} from "@aws-sdk/client-cloudwatch-logs"
import type {
  CreateKeyCommandInput,
  CreateKeyCommandOutput,
  DecryptCommandInput,
  DecryptCommandOutput,
  DeriveSharedSecretCommandInput,
  DeriveSharedSecretCommandOutput,
  DescribeKeyCommandInput,
  DescribeKeyCommandOutput,
  EncryptCommandInput,
  EncryptCommandOutput,
  GetPublicKeyCommandInput,
  GetPublicKeyCommandOutput,
  ListKeysCommandInput,
  ListKeysCommandOutput,
  ListResourceTagsCommandInput,
  ListResourceTagsCommandOutput,
  ScheduleKeyDeletionCommandInput,
} from "@aws-sdk/client-kms"
import type { SendMessageCommandInput, SendMessageCommandOutput } from "@aws-sdk/client-sqs"
import type {
  DeleteCommandInput,
  DeleteCommandOutput,
  GetCommandInput,
  GetCommandOutput,
  PutCommandInput,
  PutCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  UpdateCommandInput,
  UpdateCommandOutput,
} from "@aws-sdk/lib-dynamodb"

/** The operations of a service. */
export type Operations = Readonly<Record<string, Operation<object, object>>>

interface Operation<Input, Output> {
  readonly input: Input
  readonly output: Omit<Output, "$metadata">
}

// Types, so that a client's operations fit `Operations`: an interface has no index signature.

/** The inputs and outputs are those of the SDK's document client. */
export type DynamoDbOperations = {
  readonly GetItem: Operation<GetCommandInput, GetCommandOutput>
  readonly PutItem: Operation<PutCommandInput, PutCommandOutput>
  readonly UpdateItem: Operation<UpdateCommandInput, UpdateCommandOutput>
  readonly DeleteItem: Operation<DeleteCommandInput, DeleteCommandOutput>
  readonly Query: Operation<QueryCommandInput, QueryCommandOutput>
}

export type KmsOperations = {
  readonly CreateKey: Operation<CreateKeyCommandInput, CreateKeyCommandOutput>
  readonly Decrypt: Operation<DecryptCommandInput, DecryptCommandOutput>
  readonly DeriveSharedSecret: Operation<DeriveSharedSecretCommandInput, DeriveSharedSecretCommandOutput>
  readonly DescribeKey: Operation<DescribeKeyCommandInput, DescribeKeyCommandOutput>
  readonly Encrypt: Operation<EncryptCommandInput, EncryptCommandOutput>
  readonly GetPublicKey: Operation<GetPublicKeyCommandInput, GetPublicKeyCommandOutput>
  readonly ListKeys: Operation<ListKeysCommandInput, ListKeysCommandOutput>
  readonly ListResourceTags: Operation<ListResourceTagsCommandInput, ListResourceTagsCommandOutput>
  readonly ScheduleKeyDeletion: Operation<ScheduleKeyDeletionCommandInput, object>
}

export type SqsOperations = {
  readonly SendMessage: Operation<SendMessageCommandInput, SendMessageCommandOutput>
}

/** The payloads are JSON, not bytes as for the SDK. */
export type LambdaOperations = {
  readonly Invoke: Operation<
    { readonly FunctionName: string; readonly Payload: object },
    { readonly Payload: unknown }
  >
}

/** CloudWatch Logs. */
export type LogsOperations = {
  readonly CreateLogGroup: Operation<CreateLogGroupCommandInput, object>
  readonly DeleteLogGroup: Operation<DeleteLogGroupCommandInput, object>
  readonly FilterLogEvents: Operation<FilterLogEventsCommandInput, FilterLogEventsCommandOutput>
  readonly PutRetentionPolicy: Operation<PutRetentionPolicyCommandInput, object>
}
