import { rsvpAnswerIn, rsvpAnswers } from '../../contract/post-kinds.ts';
import type { Properties } from '../../contract/posts.ts';
import { html, type Html } from '../../http/html.ts';
import type { SiteView } from './author.ts';
import { momentMarkup } from './moment.ts';
import { placesMarkup } from './place.ts';
import { citedName, citedUrl } from '../links.ts';
import { asText, propertyValues, shownLink } from '../values.ts';

/** Returns the details of events, check-ins and RSVPs: the time, the organizer, the place and the RSVP's value. */
export function factsMarkup(
  properties: Properties,
  { base, zone }: Pick<SiteView, 'base' | 'zone'>,
): Html | null {
  const rsvps = propertyValues(properties, 'rsvp').flatMap((value) => {
    const answer = asText(value);
    if (answer === undefined) return [];
    const known = rsvpAnswerIn(answer);
    const words = known === undefined ? answer : rsvpAnswers[known].shown;
    return [html`<data class="p-rsvp" value="${answer}">${words}</data>`];
  });
  const rows: (readonly [string, readonly Html[]])[] = [
    ['RSVP', rsvps],
    ['From', moments(properties, 'start', zone)],
    ['To', moments(properties, 'end', zone)],
    ['Organizer', organizers(properties, base)],
    ['At', [...placesMarkup(properties, 'checkin', base), ...placesMarkup(properties, 'location', base)]],
  ];
  const told = rows.filter(([, values]) => values.length > 0);
  if (told.length === 0) return null;
  return html`<dl class="facts">${told.map(
    ([name, values]) => html`<dt>${name}</dt>${values.map((value) => html`<dd>${value}</dd>`)} `,
  )}</dl>`;
}

/** Returns the organizers of an event: cards, URLs or names. */
function organizers(properties: Properties, base: string): Html[] {
  return propertyValues(properties, 'organizer').flatMap((value) => {
    const url = citedUrl(value, base);
    const name = citedName(value) ?? (url === undefined ? undefined : shownLink(url));
    if (name === undefined) return [];
    return url === undefined
      ? [html`<span class="p-organizer h-card" dir="auto">${name}</span>`]
      : [html`<a class="p-organizer h-card" href="${url}" dir="auto">${name}</a>`];
  });
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
