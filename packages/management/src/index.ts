export { createApp } from "./create-app.ts"
export { createTeam } from "./create-team.ts"
export { issueAppKey, issueTeamKey } from "./issue-api-key.ts"
