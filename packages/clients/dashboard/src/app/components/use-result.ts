import { useMutation } from "@tanstack/react-query"

interface ResultOptions<Result> {
  /** Everything that the result depends on, as JSON takes it. */
  readonly input: unknown
  /** Asks for the result of this input. */
  readonly ask: () => Promise<Result>
}

/** A result that is asked for by a button, and belongs to the input that it was asked for. */
interface InputResult<Result> {
  readonly ask: () => void
  readonly isPending: boolean
  /** Undefined while there is none for this very input. */
  readonly data: Result | undefined
  readonly error: Error | null
  /** Whether something was asked for that the input no longer says. */
  readonly isOutdated: boolean
}

/** Returns a result only beside its input: it goes when the input changes, and comes back with it. */
export function useResult<Result>({ input, ask }: ResultOptions<Result>): InputResult<Result> {
  const question = JSON.stringify(input)
  const asking = useMutation({ mutationFn: (_question: string) => ask() })
  const isCurrent = asking.variables === question
  return {
    ask: () => asking.mutate(question),
    isPending: isCurrent && asking.isPending,
    data: isCurrent ? asking.data : undefined,
    error: isCurrent ? asking.error : null,
    isOutdated: !isCurrent && asking.variables !== undefined,
  }
}
