import type { DialectName } from '../../policy/backend-dialects.ts'
import { placeOf } from '../../policy/config.ts'
import { DIALECTS } from '../../wire/dialects.ts'
import { askCaps } from './cap.ts'
import { askCall, askSpoken, askStream, askWhole, type Outcome } from './chat.ts'
import { askChoices } from './choices.ts'
import { askFields } from './fields.ts'
import { type Fault, warning } from './finding.ts'
import { contextFault, type Listed, readList } from './list.ts'
import { askTwice, readLoadOnce } from './load.ts'
import { askPicture } from './picture.ts'
import type { Promised } from './promise.ts'
import { isAbsent, namesText, refusalOf, unknownModel } from './refusal.ts'
import { type ClockReading, type Depth, ExaminedReplica, placeText, type ReplicaPorts } from './replica.ts'
import { askVector } from './vectors.ts'

/** The findings at one replica. */
export interface Inspected {
  readonly replica: string
  readonly faults: readonly Fault[]
  /** Notes on what works, and on what was not asked for. */
  readonly notes: readonly string[]
  /** Until the first byte of an answer, in ms. */
  readonly firstMs?: number
  readonly clocks: readonly ClockReading[]
}

/** Asks one replica for what the policy promises of its pool. `keyFrom` is where its key comes from. Never rejects. */
export async function inspectReplica(
  ports: ReplicaPorts,
  promised: Promised,
  url: string,
  depth: Depth,
  keyFrom: string | undefined,
): Promise<Inspected> {
  const replica = new ExaminedReplica(ports, promised, url, depth.limit)
  const inspection = new Inspection(replica, keyFrom)
  await inspection.run(depth)
  const { faults, notes, firstMs } = inspection
  return { replica: url, faults, notes, ...(firstMs !== undefined && { firstMs }), clocks: replica.clocks }
}

class Inspection {
  readonly #replica: ExaminedReplica
  readonly #keyFrom: string | undefined
  readonly faults: Fault[] = []
  readonly notes: string[] = []
  firstMs: number | undefined

  constructor(replica: ExaminedReplica, keyFrom: string | undefined) {
    this.#replica = replica
    this.#keyFrom = keyFrom
  }

  async run({ generate, images }: Depth): Promise<void> {
    const { chats, embeddings, images: drawing, passed } = this.#replica.promised
    const isAsked = generate && (chats.length > 0 || embeddings.length > 0 || (images && drawing.length > 0))
    const listed = await this.#list(isAsked)
    if (this.#hasProblem) return
    this.#take(await readLoadOnce(this.#replica))
    if (generate) await this.#generate(images)
    if (listed) this.#judgeList(listed, isAsked)
    else if (!isAsked && !this.#hasProblem) this.faults.push(unseen(this.#replica, generate))
    if (drawing.length > 0 && !(generate && images)) this.notes.push('not asked for an image')
    if (passed.length > 0) this.notes.push('not asked for what passes through')
  }

  /** Whether it would say the same to whatever else it is asked. */
  get #isOver(): boolean {
    return this.#hasProblem || this.faults.some(({ why }) => why === 'busy')
  }

  get #hasProblem(): boolean {
    return this.faults.some(({ state }) => state === 'problem')
  }

  /** The replica's list; undefined where it has none, which is fine, or hides it from those it answers. */
  async #list(isAsked: boolean): Promise<Listed | undefined> {
    const answer = await this.#replica.get(this.#replica.dialect.modelsPath)
    const { head, firstMs } = answer
    if (head && head.status !== 200 && (isAsked || isAbsent(head.status))) return undefined
    const refusal = refusalOf(this.#replica, 'its list of models', answer, this.#keyFrom)
    if (refusal) this.faults.push(refusal)
    this.firstMs = firstMs
    return refusal ? undefined : readList(this.#replica, answer.body)
  }

  /** One after another: each finds what the next would fail for. */
  async #generate(images: boolean): Promise<void> {
    const { chats, embeddings, images: drawing, tools } = this.#replica.promised
    const [chat] = chats
    const [picture] = drawing
    const asks = [
      chat && (() => askWhole(this.#replica, chat, this.#keyFrom)),
      chat && (() => askStream(this.#replica, this.#keyFrom)),
      chat && this.#replica.pool.speaks.includes('chat') && (() => askCaps(this.#replica)),
      chat && this.#replica.pool.speaks.includes('chat') && (() => askFields(this.#replica)),
      chat && this.#replica.pool.speaks.includes('chat') && (() => askChoices(this.#replica, chat)),
      chat && (() => askTwice(this.#replica)),
      chat && tools && (() => askCall(this.#replica, this.#keyFrom)),
      ...(chat ? this.#otherSpeeches.map(speech => () => askSpoken(this.#replica, speech, chat, this.#keyFrom)) : []),
      embeddings.length > 0 && (() => askVector(this.#replica, this.#keyFrom)),
      images && picture && (() => askPicture(this.#replica, picture, this.#keyFrom)),
    ]
    for (const ask of asks) if (ask && !this.#isOver) this.#take(await ask())
  }

  /** The dialects of its pool beside the one in which it is asked for all else. */
  get #otherSpeeches(): readonly DialectName[] {
    const { pool, dialect } = this.#replica
    return pool.speaks.filter(speech => DIALECTS[speech] !== dialect)
  }

  #take({ faults, notes, firstMs = this.firstMs }: Outcome): void {
    this.faults.push(...faults)
    this.notes.push(...notes)
    this.firstMs = firstMs
  }

  /** Backends may know more names than they list, and some answer to any. */
  #judgeList(listed: Listed, isAsked: boolean): void {
    const context = contextFault(this.#replica, listed)
    if (context) this.faults.push(context)
    if (listed.model) return
    const unknown = unknownModel(this.#replica, undefined, listed.names)
    const at = this.faults.findIndex(fault => fault.why === 'unknown model')
    if (at >= 0) this.faults[at] = unknown
    else if (!this.#hasProblem) this.faults.push(isAsked ? unlisted(this.#replica, listed) : unknown)
  }
}

function unlisted({ pool }: ExaminedReplica, { names }: Listed): Fault {
  const place = placeText(placeOf(pool, 'model'))
  const hint = `It lists ${namesText(names)}. Some backends accept any name. Check the name in ${place}`
  return warning(`accepts the model ${pool.model}, but does not list it`, hint)
}

/** It was not asked for an answer, and it lists nothing. */
function unseen({ pool, promised }: ExaminedReplica, generate: boolean): Fault {
  const text = `answers, but has no list of models that shows whether it has ${pool.model}`
  if (generate && promised.images.length === 0) return warning(text, 'What passes through it is not asked for.')
  const how = generate ? 'With --images it is asked for one' : 'Without --no-generate it is asked for an answer'
  return warning(text, `${how}, which costs money.`)
}
