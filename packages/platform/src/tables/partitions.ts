/** The partition that holds a team and what belongs to it: the list of its apps, and its team keys. */
export const teamPartition = (teamId: string): string => `team#${teamId}`

/** The partition that holds an app and what belongs to it: its keys, data roles and policies, webhook endpoints. */
export const appPartition = (appId: string): string => `app#${appId}`
