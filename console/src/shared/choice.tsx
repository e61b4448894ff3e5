interface ChoiceProps<Name extends string> {
  readonly label: string
  readonly options: readonly (readonly [name: Name, text: string])[]
  readonly chosen: Name
  readonly onChoose: (name: Name) => void
}

/** A few options side by side, of which one is chosen. */
export const Choice = <Name extends string>({ label, options, chosen, onChoose }: ChoiceProps<Name>) => (
  <fieldset class="choice" aria-label={label}>
    {options.map(([name, text]) => (
      <label key={name}>
        <input type="radio" class="hidden" name={label} checked={name === chosen} onChange={() => onChoose(name)} />
        {text}
      </label>
    ))}
  </fieldset>
)
