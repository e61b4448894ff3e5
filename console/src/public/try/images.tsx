import { useEffect, useRef, useState } from 'preact/hooks'
import { type ApiProblem, askResponse } from '../../shared/api.ts'
import { problemFrom } from '../../shared/resource.ts'
import { refreshAccount } from '../account.ts'
import type { CatalogModel } from '../catalog.ts'
import { Refusal } from '../refusal.tsx'
import * as text from '../texts/try.tsx'
import { type AnswerFacts, headerFacts } from './chat-stream.ts'
import { costOf } from './cost.ts'
import { Facts } from './facts.tsx'
import { ModelField } from './settings.tsx'

interface Picture {
  readonly prompt: string
  readonly url: string
  readonly facts: AnswerFacts
}

/** Makes pictures, which are in the memory of the page alone. */
export function Images({ models }: { readonly models: readonly CatalogModel[] }) {
  const [model, choose] = useState(models[0]?.id ?? '')
  const [prompt, write] = useState('')
  const [pictures, setPictures] = useState<readonly Picture[]>([])
  const [refusal, setRefusal] = useState<ApiProblem>()
  const [isBusy, setBusy] = useState(false)
  const sizes = Object.keys(models.find(({ id }) => id === model)?.pricing?.image ?? {})
  const [wanted, want] = useState('')
  const size = sizes.includes(wanted) ? wanted : (sizes[0] ?? '')
  const running = useRef<AbortController | undefined>(undefined)
  const made = useRef<string[]>([])
  useEffect(
    () => () => {
      running.current?.abort()
      for (const url of made.current) URL.revokeObjectURL(url)
    },
    [],
  )
  const make = async (event: Event) => {
    event.preventDefault()
    if (prompt.trim() === '' || isBusy) return
    setBusy(true)
    setRefusal(undefined)
    const controller = new AbortController()
    running.current = controller
    try {
      const picture = await pictureOf({ model, prompt, size }, controller.signal)
      made.current.push(picture.url)
      setPictures(all => [picture, ...all])
      void refreshAccount()
      const usd = await costOf(picture.facts.requestId ?? '').catch(() => undefined)
      if (usd !== undefined)
        setPictures(all =>
          all.map(each => (each.url === picture.url ? { ...each, facts: { ...each.facts, usd } } : each)),
        )
    } catch (error) {
      if (!controller.signal.aborted) setRefusal(problemFrom(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <div class="stack">
      <form class="box pad fields image-form" onSubmit={make}>
        <label class="field wide">
          {text.prompt}
          <input value={prompt} required onInput={event => write(event.currentTarget.value)} />
        </label>
        <ModelField models={models} value={model} onChoose={choose} />
        <label class="field">
          {text.size}
          <select value={size} onChange={event => want(event.currentTarget.value)}>
            {sizes.map(each => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <button type="submit" class="primary" disabled={isBusy || prompt.trim() === ''}>
          {isBusy ? text.making : text.make}
        </button>
      </form>
      {refusal && <Refusal problem={refusal} />}
      <ul class="pictures">
        {pictures.map(picture => (
          <li key={picture.url} class="box">
            <img src={picture.url} alt={picture.prompt} />
            <div class="pad stack tight">
              <p>
                <bdi>{picture.prompt}</bdi>
              </p>
              <Facts facts={picture.facts} />
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}

async function pictureOf(
  wish: { readonly model: string; readonly prompt: string; readonly size: string },
  signal: AbortSignal,
): Promise<Picture> {
  const begunAt = performance.now()
  const response = await askResponse('/v1/images/generations', { ...wish, response_format: 'b64_json' }, signal)
  const { data } = (await response.json()) as { readonly data: readonly [{ readonly b64_json: string }] }
  const bytes = Uint8Array.from(atob(data[0].b64_json), each => each.codePointAt(0) ?? 0)
  return {
    prompt: wish.prompt,
    url: URL.createObjectURL(new Blob([bytes])),
    facts: { ...headerFacts(response), totalMs: Math.round(performance.now() - begunAt) },
  }
}
