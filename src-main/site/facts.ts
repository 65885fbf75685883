import type { Properties } from '../contract/posts.ts';
import { html, type Html } from '../http/html.ts';
import type { SiteView } from './author.ts';
import { momentMarkup } from './moment.ts';
import { placesMarkup } from './place.ts';
import { asText, propertyValues } from '../post/values.ts';

const rsvpWords: Record<string, string> = {
  yes: 'Yes, I am going',
  no: 'No, I am not going',
  maybe: 'I might go',
  interested: 'I am interested',
};

/** Returns the details of events, check-ins and RSVPs: the time, the place and the RSVP's value. */
export function factsMarkup(
  properties: Properties,
  { base, zone }: Pick<SiteView, 'base' | 'zone'>,
): Html | null {
  const rsvps = propertyValues(properties, 'rsvp').flatMap((value) => {
    const answer = asText(value);
    const told = answer === undefined ? undefined : (rsvpWords[answer.trim().toLowerCase()] ?? answer);
    return answer === undefined ? [] : [html`<data class="p-rsvp" value="${answer}">${told}</data>`];
  });
  const rows: (readonly [string, readonly Html[]])[] = [
    ['RSVP', rsvps],
    ['From', moments(properties, 'start', zone)],
    ['To', moments(properties, 'end', zone)],
    ['At', [...placesMarkup(properties, 'checkin', base), ...placesMarkup(properties, 'location', base)]],
  ];
  const told = rows.filter(([, values]) => values.length > 0);
  if (told.length === 0) return null;
  return html`<dl class="facts">${told.map(
    ([name, values]) => html`<dt>${name}</dt>${values.map((value) => html`<dd>${value}</dd>`)} `,
  )}</dl>`;
}

/**
 * Returns the times of an event. A time that ends in `Z` is converted to `zone`. A time with a UTC offset stays as it
 * is, because the offset is that of the event's location.
 */
function moments(properties: Properties, name: 'start' | 'end', zone: string | undefined): Html[] {
  return propertyValues(properties, name).flatMap((value) => {
    const moment = asText(value);
    return moment === undefined
      ? []
      : [momentMarkup(`dt-${name}`, moment, moment.trim().endsWith('Z') ? zone : undefined)];
  });
}
