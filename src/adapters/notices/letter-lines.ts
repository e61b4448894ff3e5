import type { Letter } from '../../gateway/notices/lane.ts'
import { noticeText } from '../../wire/admin/notice.ts'

/** A line for each notice, with the threshold of its receiver. */
export const letterLines = (letters: readonly Letter[]): readonly string[] =>
  letters.map(({ notice, delivery }) => noticeText(notice.event, delivery.percent))
