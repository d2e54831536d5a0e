import { MultiSelect, type MultiSelectProps } from "@mantine/core"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { type Choice, type ChoiceGroup, choiceOf } from "./choices.ts"

interface ChoicesFieldProps extends Pick<MultiSelectProps, "label" | "description" | "error" | "disabled"> {
  readonly data: readonly (Choice | ChoiceGroup)[]
  readonly value: readonly string[]
  readonly onChange: (value: string[]) => void
  /** The name of the button that removes all: "Clear the scopes". Default: there is none */
  readonly clearLabel?: string
  /** Whether its dialog opens with the focus here. Default: no */
  readonly "data-autofocus"?: boolean
}

/**
 * A field for several of given values. Enter takes the match that is highlighted, and never submits the form around it. A
 * text that is no choice stays in the field, which says so, and the form cannot be submitted.
 */
export function ChoicesField({ data, value, onChange, clearLabel, error, ...shown }: ChoicesFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const isLeaving = useRef(false)
  const [text, setText] = useState("")
  const [isChecked, setChecked] = useState(false)
  const problem = text === "" ? "" : `“${text}” is no choice: take one of the list, or remove the text.`
  useEffect(() => input.current?.setCustomValidity(problem), [problem])
  const changeText = (changed: string) => {
    // The field clears its text when it is left: what was typed would be lost without a word.
    if (isLeaving.current) return
    setText(changed)
    setChecked(false)
  }
  const leave = () => {
    const choice = choiceOf(text, data)
    if (choice !== null) {
      if (!value.includes(choice)) onChange([...value, choice])
      setText("")
    }
    setChecked(true)
    isLeaving.current = true
    queueMicrotask(() => {
      isLeaving.current = false
    })
  }
  const stay = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return
    event.preventDefault()
    setChecked(true)
  }
  return (
    <MultiSelect
      {...shown}
      ref={input}
      data={data.map((each) =>
        typeof each === "object" && "group" in each ? { ...each, items: [...each.items] } : each,
      )}
      value={[...value]}
      onChange={onChange}
      searchable
      searchValue={text}
      onSearchChange={changeText}
      // Without a text, the first choice is only the first: Enter takes none.
      selectFirstOptionOnChange={text !== ""}
      selectFirstOptionOnDropdownOpen={text !== ""}
      onKeyDown={stay}
      onBlur={leave}
      error={isChecked && problem !== "" ? problem : error}
      clearable={clearLabel !== undefined}
      {...(clearLabel !== undefined && { clearButtonProps: { "aria-label": clearLabel } })}
    />
  )
}
