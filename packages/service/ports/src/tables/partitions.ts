/** Returns the partition of a team: the list of its apps, and its team keys. */
export const teamPartition = (teamId: string): string => `team#${teamId}`

/** Returns the partition of an app: its keys, data roles and policies, webhook endpoints. */
export const appPartition = (appId: string): string => `app#${appId}`
