import type { CurrentSession } from "@sealway/sdk/api"
import { ApiError } from "@sealway/sdk/browser"
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"

/** The key of the session. Null there: nobody is signed in. */
export const SESSION_KEY = ["session"] as const

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === "unauthorized"
}

/** Removes everything that the page knows. It then shows how to sign in. */
export function forgetSession(client: QueryClient): void {
  client.setQueryData(SESSION_KEY, null)
  forgetAnswers(client)
}

/** Notes whose session the browser has now. What the page knows from another member's is forgotten. */
export function enterSession(client: QueryClient, session: CurrentSession): CurrentSession {
  const before = client.getQueryData<CurrentSession | null>(SESSION_KEY)
  if (before && before.member.id !== session.member.id) forgetAnswers(client)
  return session
}

function forgetAnswers(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] })
}

/** Creates the cache of answers. When one says that the session is over, nothing of it stays on the page. */
export function createQueryClient(): QueryClient {
  const onError = (error: Error) => {
    if (isSignedOut(error)) forgetSession(client)
  }
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, { meta }) => {
        // A key that somebody has typed was refused; the session is not concerned.
        if (meta?.isByKey !== true) onError(error)
      },
    }),
    // The transport repeats what may be repeated.
    defaultOptions: {
      queries: { retry: false, staleTime: 5_000 },
      // Many are sent or answered with secrets: these are kept no longer than the dialog that shows them.
      mutations: { retry: false, gcTime: 0 },
    },
  })
  return client
}
