import { jsonText } from '../io/jsonText.js'
import type { Exhibit } from './exhibit.js'

/** The gallery as one JSON object. Numbers that are not finite are null, and so is an event that did not happen. */
export function galleryJson(exhibits: readonly Exhibit[]): string {
  const failures = exhibits.map(({ failure, run, repaired }) => ({
    id: failure.id,
    title: failure.title,
    story: failure.story,
    source: failure.source,
    reported: failure.reported,
    ...run,
    repairs: repaired.map(({ change, run: { verdict } }) => ({ change, verdict })),
  }))
  return jsonText({ failures })
}
