import { type Findings, quoted } from '../../findings.ts'
import { asObject, isObject, type JsonObject } from '../../json-safety.ts'

/** Adds what a block of a user's message or of a result shows to the model, as parts of a chat message. */
export function addParts(block: JsonObject, at: string, parts: JsonObject[], findings: Findings): void {
  switch (block.type) {
    case 'text':
      parts.push(textPart(textOf(block, at, findings)))
      break
    case 'image':
      parts.push(imagePart(asObject(block.source), `${at}.source`, findings))
      break
    case 'document':
      checkCitations(block, at, findings)
      addDocument(block, at, parts, findings)
      break
    case 'search_result':
      checkCitations(block, at, findings)
      parts.push(textPart(searchResult(block, at, findings)))
      break
    default:
      refuseType(block.type, at, findings)
  }
}

/** Each block of a list; a text is one block. */
export function* blocksOf(
  content: unknown,
  at: string,
  findings: Findings,
): Generator<{ readonly block: JsonObject; readonly at: string }> {
  if (typeof content === 'string') {
    yield { block: { type: 'text', text: content }, at }
    return
  }
  for (const [index, block] of findings.list(at, content).entries()) {
    const place = `${at}[${index}]`
    if (isObject(block)) yield { block, at: place }
    else findings.refuse(place, 'must be an object')
  }
}

/** The text of a block of type text. */
export function textOf({ text }: JsonObject, at: string, findings: Findings): string {
  return findings.requiredText(`${at}.text`, text)
}

/** The texts of blocks that can be nothing else. */
export function textsOf(content: unknown, at: string, findings: Findings): string[] {
  const texts: string[] = []
  for (const { block, at: place } of blocksOf(content, at, findings)) {
    if (block.type === 'text') texts.push(textOf(block, place, findings))
    else refuseType(block.type, place, findings)
  }
  return texts
}

export const textPart = (text: string): JsonObject => ({ type: 'text', text })

/** A backend of the same dialect may know more types, and newer ones. */
export function refuseType(type: unknown, at: string, findings: Findings): void {
  if (typeof type === 'string') findings.leaveOut(`${at}.type`, `blocks of type ${quoted(type)} are not accepted here`)
  else findings.requiredText(`${at}.type`, type)
}

function imagePart(source: JsonObject, at: string, findings: Findings): JsonObject {
  const { type, media_type, data, url } = source
  if (type === 'base64') {
    if (typeof media_type !== 'string' || !IMAGE_TYPE.test(media_type))
      findings.refuse(`${at}.media_type`, 'must be the type of an image, such as image/png')
    if (typeof data !== 'string') findings.refuse(`${at}.data`, 'must be a string of base64')
    const isSound = typeof media_type === 'string' && typeof data === 'string'
    return imageAt(isSound ? `data:${media_type};base64,${data}` : 'data:image/')
  }
  if (typeof url === 'string' && url.startsWith('data:image/')) return imageAt(url)
  leaveSource(type, at, findings)
  // It weighs what any other image does.
  return imageAt('data:image/')
}

const imageAt = (url: string): JsonObject => ({ type: 'image_url', image_url: { url } })

const IMAGE_TYPE = /^image\/[\w.+-]+$/

/** One text, the title before it, and the images in it. */
function addDocument(block: JsonObject, at: string, parts: JsonObject[], findings: Findings): void {
  const inside: JsonObject[] = []
  addSource(asObject(block.source), `${at}.source`, inside, findings)
  const texts = [block.title, block.context, ...inside.map(part => part.text)]
  parts.push(textPart(texts.filter(text => typeof text === 'string' && text !== '').join('\n')))
  for (const part of inside) if (part.type !== 'text') parts.push(part)
}

function addSource(source: JsonObject, at: string, parts: JsonObject[], findings: Findings): void {
  const { type, data, content, media_type } = source
  if (type === 'content') {
    for (const { block, at: place } of blocksOf(content, `${at}.content`, findings))
      addParts(block, place, parts, findings)
    return
  }
  if (type === 'text') parts.push(textPart(findings.requiredText(`${at}.data`, data)))
  else leaveSource(type === 'base64' ? media_type : type, at, findings)
}

function leaveSource(type: unknown, at: string, findings: Findings): void {
  if (typeof type !== 'string') findings.requiredText(`${at}.type`, type)
  else if (type === 'url') findings.leaveOut(`${at}.url`, 'is not fetched; send the content itself')
  else findings.leaveOut(at, `${quoted(type)} is not read here; send images as base64, documents as text`)
}

function searchResult(block: JsonObject, at: string, findings: Findings): string {
  const title = findings.text(`${at}.title`, block.title)
  const source = findings.text(`${at}.source`, block.source)
  return [title, source, ...textsOf(block.content, `${at}.content`, findings)].filter(Boolean).join('\n')
}

function checkCitations(block: JsonObject, at: string, findings: Findings): void {
  if (asObject(block.citations).enabled === true)
    findings.leaveOut(`${at}.citations`, 'are not supported here; leave them out')
}
