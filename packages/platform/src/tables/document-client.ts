import type {
  DeleteCommand,
  DeleteCommandOutput,
  GetCommand,
  GetCommandOutput,
  PutCommand,
  PutCommandOutput,
  QueryCommand,
  QueryCommandOutput,
  UpdateCommand,
  UpdateCommandOutput,
} from "@aws-sdk/lib-dynamodb"

export type DocumentCommand = GetCommand | PutCommand | UpdateCommand | DeleteCommand | QueryCommand

/** The part of the SDK's `DynamoDBDocumentClient` that tables use. It throws the SDK's errors. */
export interface DocumentClient {
  send(command: GetCommand): Promise<GetCommandOutput>
  send(command: PutCommand): Promise<PutCommandOutput>
  send(command: UpdateCommand): Promise<UpdateCommandOutput>
  send(command: DeleteCommand): Promise<DeleteCommandOutput>
  send(command: QueryCommand): Promise<QueryCommandOutput>
  destroy(): void
}
