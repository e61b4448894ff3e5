import { useEffect, useRef, useState } from 'preact/hooks'
import { query } from '../../shared/frame/router.ts'
import { Problem } from '../../shared/states.tsx'
import type { CatalogModel } from '../catalog.ts'
import { Refusal } from '../refusal.tsx'
import * as text from '../texts/try.tsx'
import { Facts } from './facts.tsx'
import { bodyOf, NO_SETTINGS, Settings } from './settings.tsx'
import { type Turn, useChat } from './use-chat.ts'

/** A chat with the plan, limits and prices of the account. */
export function Chat({ models }: { readonly models: readonly CatalogModel[] }) {
  const chat = useChat()
  const [settings, change] = useState(() => ({ ...NO_SETTINGS, model: query.peek().get('model') ?? '' }))
  const [said, say] = useState('')
  const box = useRef<HTMLTextAreaElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const { turns, refusal, isComing } = chat
  useEffect(() => {
    if (isComing && isNearEnd()) end.current?.scrollIntoView({ block: 'end' })
  }, [turns])
  const send = async () => {
    const text = said.trim()
    if (text === '' || isComing) return
    say('')
    const isTaken = await chat.send(text, settings.system, bodyOf(settings, models))
    if (!isTaken) say(written => (written === '' ? text : written))
    box.current?.focus()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isComing) chat.stop()
    // While an input method composes, Enter is its own.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    void send()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc stops an answer wherever the focus is in the chat
    <div class="chat" onKeyDown={event => event.key === 'Escape' && isComing && chat.stop()}>
      <div class="talk">
        <ol class="box turns" aria-label={text.turns} aria-busy={isComing}>
          {turns.length === 0 && <li class="muted hint">{text.hint}</li>}
          {turns.map((turn, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: turns are only added
            <TurnItem key={at} turn={turn} />
          ))}
        </ol>
        <p class="hidden" role="status">
          {turns.length > 0 && !isComing && text.answered}
        </p>
        {refusal && <Refusal problem={refusal} />}
        <form
          class="write"
          onSubmit={event => {
            event.preventDefault()
            void send()
          }}
        >
          <textarea
            ref={box}
            aria-label={text.message}
            placeholder={text.placeholder}
            rows={2}
            value={said}
            onInput={event => say(event.currentTarget.value)}
            onKeyDown={press}
          />
          {isComing ? (
            <button type="button" onClick={chat.stop}>
              {text.stop}
            </button>
          ) : (
            <button type="submit" class="primary" disabled={said.trim() === ''}>
              {text.send}
            </button>
          )}
        </form>
        <p class="small muted">{text.keys}</p>
        <div ref={end} />
      </div>
      <Settings
        settings={settings}
        models={models}
        onChange={change}
        onClear={turns.length === 0 ? undefined : chat.clear}
      />
    </div>
  )
}

function TurnItem({ turn: { said, thoughts, answer, state, problem, facts } }: { readonly turn: Turn }) {
  return (
    <li>
      <p class="small muted">{text.you}</p>
      <p class="said">
        <bdi>{said}</bdi>
      </p>
      <p class="small muted">{text.answer}</p>
      {thoughts !== '' && (
        <details>
          <summary class="small muted">{text.thoughts}</summary>
          <p class="said muted">
            <bdi>{thoughts}</bdi>
          </p>
        </details>
      )}
      <p class="said">
        <bdi>{answer}</bdi>
        {state === 'coming' && <span class="caret" aria-hidden="true" />}
      </p>
      {state === 'stopped' && <p class="small muted">{text.stopped}</p>}
      {problem && <Problem problem={problem} />}
      {state !== 'coming' && <Facts facts={facts} />}
    </li>
  )
}

const NEAR_PX = 240
const isNearEnd = (): boolean => innerHeight + scrollY > document.documentElement.scrollHeight - NEAR_PX
