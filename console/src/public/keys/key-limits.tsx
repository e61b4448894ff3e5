import type { OwnKey } from '../../../../src/wire/key.ts'
import { COUNT_PATTERN, nanoUsdOf, USD_PATTERN } from '../../shared/amount.ts'
import { count, exactUsd, nanoUsdText } from '../../shared/fmt.ts'
import { account } from '../account.ts'
import * as text from '../texts/key-limits.tsx'

interface LimitFieldsProps {
  readonly value: LimitTexts
  readonly onChange: (value: LimitTexts) => void
}

/** The limits that are asked for in a form, and those of the account, beside which they hold. */
export function LimitFields({ value, onChange }: LimitFieldsProps) {
  const beside = accountLimits()
  return (
    <fieldset class="stack">
      <legend class="muted">{text.title}</legend>
      <div class="fields">
        {FIELDS.map(({ name, measure }) => (
          <label key={name} class="field">
            {text.fields[name]}
            <input
              inputMode="decimal"
              autocomplete="off"
              pattern={measure === 'usd' ? USD_PATTERN : COUNT_PATTERN}
              placeholder={text.none}
              value={value[name]}
              onInput={event => onChange({ ...value, [name]: event.currentTarget.value.trim() })}
            />
          </label>
        ))}
      </div>
      {beside.length > 0 && <p class="small muted">{text.beside(beside.join(', '))}</p>}
    </fieldset>
  )
}

/** A limit of a key. */
export type KeyLimit = NonNullable<OwnKey['limits']>[number]

/** The texts of the fields: decimals, empty where there is no limit. */
export type LimitTexts = Readonly<Record<(typeof FIELDS)[number]['name'], string>>

const FIELDS = [
  { name: 'usdPerDay', measure: 'usd', per: 'day' },
  { name: 'usdPerMonth', measure: 'usd', per: 'month' },
  { name: 'requestsPerMinute', measure: 'requests', per: 'minute' },
] as const

/** The texts of limits that a key has; without one, of none. */
export function textsOf(limits: readonly KeyLimit[] | null): LimitTexts {
  const texts = FIELDS.map(field => {
    const most = limits?.find(limit => isOf(field, limit))?.most
    return [field.name, most === undefined ? '' : field.measure === 'usd' ? nanoUsdText(most) : String(most)]
  })
  return Object.fromEntries(texts) as LimitTexts
}

/** The limits that the texts say, behind those of the key that no field is for. */
export function limitsOf(texts: LimitTexts, limits: readonly KeyLimit[] | null = null): readonly KeyLimit[] {
  const others = (limits ?? []).filter(limit => !FIELDS.some(field => isOf(field, limit)))
  const said = FIELDS.flatMap(({ name, measure, per }): KeyLimit[] => {
    const most = measure === 'usd' ? nanoUsdOf(texts[name]) : Number(texts[name])
    return most ? [{ measure, most, per, of: 'key' }] : []
  })
  return [...others, ...said]
}

const isOf = ({ measure, per }: Pick<(typeof FIELDS)[number], 'measure' | 'per'>, limit: KeyLimit): boolean =>
  limit.measure === measure && limit.per === per && limit.model === undefined

/** The account's limits that the fields ask for. */
function accountLimits(): readonly string[] {
  const limits = account.value.data?.limits
  if (!limits) return []
  return [text.aMonth(exactUsd(limits.monthly_usd)), ...(limits.rpm === null ? [] : [text.aMinute(count(limits.rpm))])]
}
