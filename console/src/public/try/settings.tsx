import { account } from '../account.ts'
import type { CatalogModel } from '../catalog.ts'
import * as modelsText from '../texts/models.tsx'
import * as text from '../texts/try.tsx'

/** The settings of a chat, beside its messages. Empty where the gateway decides. */
export interface ChatSettings {
  readonly model: string
  readonly system: string
  readonly maxTokens: string
  readonly temperature: string
  readonly thinks: boolean
  readonly tools: readonly string[]
}

export const NO_SETTINGS: ChatSettings = {
  model: '',
  system: '',
  maxTokens: '',
  temperature: '',
  thinks: false,
  tools: [],
}

interface SettingsProps {
  readonly settings: ChatSettings
  readonly models: readonly CatalogModel[]
  readonly onChange: (settings: ChatSettings) => void
  readonly onClear: (() => void) | undefined
}

export function Settings({ settings, models, onChange, onClear }: SettingsProps) {
  const { model, system, maxTokens, temperature, thinks, tools } = settings
  const chosen = models.find(({ id }) => id === model)
  const change = (part: Partial<ChatSettings>) => onChange({ ...settings, ...part })
  const own = account.value.data
  const toggle = (tool: string) =>
    change({ tools: tools.includes(tool) ? tools.filter(each => each !== tool) : [...tools, tool] })
  return (
    <div class="box pad stack settings">
      <ModelField
        models={models.filter(({ kind }) => kind === 'chat')}
        value={model}
        onChoose={id => change({ model: id, thinks: thinks && canThink(models, id) })}
        hasDefault
      />
      <details open={matchMedia('(min-width: 760px)').matches}>
        <summary>{text.settings}</summary>
        <div class="stack">
          <label class="field">
            {text.system}
            <textarea rows={3} value={system} onInput={event => change({ system: event.currentTarget.value })} />
          </label>
          <label class="field">
            {text.maxTokens}
            <input
              type="number"
              min={1}
              max={chosen?.max_output_tokens}
              value={maxTokens}
              onInput={event => change({ maxTokens: event.currentTarget.value })}
            />
          </label>
          <label class="field">
            {text.temperature}
            <input
              type="number"
              min={0}
              max={2}
              step={0.1}
              value={temperature}
              onInput={event => change({ temperature: event.currentTarget.value })}
            />
          </label>
          {canThink(models, model) && (
            <label class="check">
              <input
                type="checkbox"
                checked={thinks}
                onChange={event => change({ thinks: event.currentTarget.checked })}
              />
              {text.thinks}
            </label>
          )}
          {own && own.tools.length > 0 && (
            <fieldset class="stack tight">
              <legend>{text.tools}</legend>
              {own.tools.map(tool => (
                <label key={tool} class="check">
                  <input type="checkbox" checked={tools.includes(tool)} onChange={() => toggle(tool)} />
                  <code>{tool}</code>
                </label>
              ))}
            </fieldset>
          )}
        </div>
      </details>
      {onClear && (
        <button type="button" class="link" onClick={onClear}>
          {text.clear}
        </button>
      )}
    </div>
  )
}

/** The body of a request, but for its messages. */
export const bodyOf = (
  { model, maxTokens, temperature, thinks, tools }: ChatSettings,
  models: readonly CatalogModel[],
) => ({
  ...(model !== '' && { model }),
  ...(maxTokens !== '' && { max_tokens: Number(maxTokens) }),
  ...(temperature !== '' && { temperature: Number(temperature) }),
  ...(canThink(models, model) && { chat_template_kwargs: { enable_thinking: thinks } }),
  ...(tools.length > 0 && { tools: tools.map(name => ({ type: 'hosted', name })) }),
})

const canThink = (models: readonly CatalogModel[], id: string): boolean =>
  models.find(each => each.id === id)?.capabilities?.thinking === true

interface ModelFieldProps {
  readonly models: readonly CatalogModel[]
  readonly value: string
  readonly onChoose: (id: string) => void
  /** Whether the gateway chooses one where none is named. */
  readonly hasDefault?: true
}

/** Models that the plan lacks are shown, and cannot be chosen. */
export function ModelField({ models, value, onChoose, hasDefault }: ModelFieldProps) {
  const own = account.value.data?.models
  return (
    <label class="field">
      {modelsText.model}
      <select value={value} onChange={event => onChoose(event.currentTarget.value)}>
        {hasDefault && <option value="">{text.byDefault}</option>}
        {models.map(({ id, alias_of }) => {
          const isOwn = own?.includes(alias_of ?? id) ?? true
          return (
            <option key={id} value={id} disabled={!isOwn}>
              {isOwn ? id : text.notInPlan(id)}
            </option>
          )
        })}
      </select>
    </label>
  )
}
