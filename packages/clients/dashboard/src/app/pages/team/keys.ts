export const MEMBERS_KEY = ["team", "members"] as const
export const INVITATIONS_KEY = ["team", "invitations"] as const
export const TEAM_KEYS_KEY = ["team", "team-keys"] as const
