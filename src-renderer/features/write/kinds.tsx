import { Button, Chip, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useId, useState, type ReactElement } from 'react';
import {
  postKinds,
  responseKinds,
  rsvpAnswerIn,
  rsvpAnswerList,
  rsvpAnswers,
  type WritingKind,
} from '../../../src-main/contract/post-kinds.ts';
import { useClient } from '../../client/queries.ts';
import { writeHash } from '../../routes.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { addressField, hasField, isWebAddress, withKind } from './form.ts';
import { newPage } from './site-page.ts';
import type { Writing, WritingSession } from './writing.ts';
import { fieldWords } from './words.ts';
import styles from './write.module.css';

export interface FieldsProps {
  readonly session: WritingSession;
  readonly writing: Writing;
}

/** The kinds of posts that respond to nothing. */
export const ownKinds = ['note', 'article', 'photo'] as const;
const isResponse = (kind: WritingKind) => responseKinds.some((one) => one.kind === kind);
/** The verb that “Respond…” begins with. */
export const firstVerb: WritingKind = 'reply';

/** The choice of what to write. `pages`: whether pages of the site are offered too. */
export function KindChoice({ session, writing, pages }: FieldsProps & { pages: boolean }): ReactElement {
  const { kind } = writing.form;
  const choose = (next: string) => {
    const named = next === 'respond' ? firstVerb : ownKinds.find((one) => one === next);
    if (named !== undefined) session.edit((form) => withKind(form, named));
  };
  return (
    <div className={styles.kinds}>
      <Choice
        label={fieldWords.kind}
        value={isResponse(kind) ? 'respond' : kind}
        options={[
          ...ownKinds.map((one) => ({ value: one, label: postKinds[one].name })),
          { value: 'respond', label: fieldWords.respond },
        ]}
        onChoose={choose}
      />
      {pages && (
        <a className={styles.kindLink} href={writeHash({ page: newPage })}>
          {fieldWords.page}
        </a>
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChoose: (value: string) => void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps): ReactElement {
  // Without a name, each radio button is a group of its own: another stop for Tab, and the arrow keys do nothing.
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={styles.kinds}>
      <Chip.Group value={value} onChange={onChoose}>
        {options.map((option) => (
          <Chip
            key={option.value}
            name={name}
            value={option.value}
            size="sm"
            classNames={{
              input: styles.kindInput,
              label: `${styles.kindLabel} ${styles.oneOf}`,
              iconWrapper: styles.noMark,
            }}
          >
            {option.label}
          </Chip>
        ))}
      </Chip.Group>
    </div>
  );
}

const verbs = responseKinds.map(({ kind }) => ({ value: kind, label: postKinds[kind].name }));
const answers = rsvpAnswerList.map((value) => ({ value, label: rsvpAnswers[value].choice }));

/** What the post responds to, and how. Renders nothing for a post of the owner's own. */
export function ResponsePart({ session, writing }: FieldsProps): ReactElement | null {
  const { form, missing } = writing;
  const field = addressField(form);
  if (field === undefined) return null;
  const address = form[field];
  return (
    <Stack gap="sm">
      <CitedAddress
        label={form.kind === 'rsvp' ? fieldWords.event : fieldWords.address}
        address={address}
        error={missing.address}
        onChange={(next) => session.change({ [field]: next })}
      />
      {isResponse(form.kind) && (
        <Choice
          label={fieldWords.verb}
          value={form.kind}
          options={verbs}
          onChoose={(value) => {
            const verb = responseKinds.find(({ kind }) => kind === value);
            if (verb) session.edit((old) => withKind(old, verb.kind));
          }}
        />
      )}
      {hasField(form, 'rsvp') && (
        <NativeSelect
          label={fieldWords.rsvp}
          data={[{ value: '', label: fieldWords.noRsvp }, ...answers]}
          data-asked="rsvp"
          error={missing.rsvp}
          value={form.rsvp}
          onChange={(event) => session.change({ rsvp: rsvpAnswerIn(event.currentTarget.value) ?? '' })}
        />
      )}
    </Stack>
  );
}

interface CitedAddressProps {
  readonly label: string;
  readonly address: string;
  readonly error: string | undefined;
  readonly onChange: (address: string) => void;
}

/**
 * The address of another page. Its title is fetched once the owner has entered the address. A page is never fetched
 * because a link filled in its address: any site can open such a link.
 */
function CitedAddress({ label, address, error, onChange }: CitedAddressProps): ReactElement {
  const client = useClient();
  const [isTyped, setIsTyped] = useState(false);
  const [found, setFound] = useState<{ readonly url: string; readonly words: string } | null>(null);
  const url = address.trim();
  const isKnown = found?.url === url;
  const look = () => {
    setIsTyped(false);
    if (!isWebAddress(url) || isKnown) return;
    setFound({ url, words: fieldWords.looking });
    void client
      .call('posts.citedPage', { url })
      .then(
        ({ title, author }) =>
          title === '' && author === '' ? fieldWords.noTitle : fieldWords.cited(title, author),
        () => fieldWords.noTitle,
      )
      // The owner may have entered another address in the meantime.
      .then((words) => setFound((now) => (now?.url === url ? { url, words } : now)));
  };
  return (
    <div>
      <TextInput
        type="url"
        label={label}
        placeholder={fieldWords.addressExample}
        maxLength={4096}
        data-asked="address"
        error={error}
        value={address}
        onChange={(event) => {
          setIsTyped(true);
          onChange(event.currentTarget.value);
        }}
        onBlur={() => {
          if (isTyped) look();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) look();
        }}
      />
      <Text size="sm" c="dimmed" mt={4} role="status">
        {isKnown && <Foreign text={found.words} />}
      </Text>
      {!isKnown && !isTyped && isWebAddress(url) && (
        <Button variant="default" size="compact-sm" onClick={look}>
          {fieldWords.showTitle}
        </Button>
      )}
    </div>
  );
}
