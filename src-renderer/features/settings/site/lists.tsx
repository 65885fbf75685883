import { ActionIcon, Anchor, Button, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import { useRef, useState, type ReactElement, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { settingAreas, type Settings } from '../../../../src-main/contract/settings.ts';
import { writeHash } from '../../../routes.ts';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '../../../ui/icons.ts';
import shared from '../../../ui/shared.module.css';
import { settingProps } from '../setting-field.tsx';
import { listWords } from '../words.ts';
import styles from './site.module.css';

type Site = Settings['site'];
type Link = Site['links'][number];

const words = {
  link: 'link',
  label: (number: number) => `Link ${number}: label`,
  url: (number: number) => `Link ${number}: address`,
  labelHint: 'Mastodon',
  urlHint: 'https://social.example/@you',
  labelMissing: 'Enter a label.',
  urlMissing: 'Enter an address that starts with https://.',
  page: 'page',
  edit: (title: string) => `Edit ${title}`,
  write: 'Write a page',
  writeAbout: 'Write about you',
  editAbout: 'Edit this text',
};

/** Returns the problems of a link, each for the field that it is about. */
export function linkProblems({ label, url }: Link): { readonly label?: string; readonly url?: string } {
  return {
    ...(label.trim() === '' && { label: words.labelMissing }),
    ...(!/^https?:\/\//i.test(url.trim()) && { url: words.urlMissing }),
  };
}

/** Returns whether a link can be saved. */
export const isComplete = (link: Link): boolean => Object.keys(linkProblems(link)).length === 0;

interface LinksProps {
  readonly links: Site['links'];
  /** True once the owner has tried to save: then problems are shown. */
  readonly judged: boolean;
  readonly onChange: (links: Site['links']) => void;
}

/** Edits the links on the home page. */
export function LinkList({ links, judged, onChange }: LinksProps): ReactElement {
  return (
    <OrderedList
      {...settingProps('site', 'links', settingAreas.site.links)}
      one={words.link}
      items={links}
      most={50}
      nameOf={({ label }) => label}
      adding={{ label: listWords.add(words.link), empty: { label: '', url: '' } }}
      onChange={onChange}
    >
      {(link, index, replace) => {
        const problems = judged ? linkProblems(link) : {};
        return (
          <div className={styles.fields}>
            <TextInput
              aria-label={words.label(index + 1)}
              placeholder={words.labelHint}
              value={link.label}
              maxLength={200}
              error={problems.label}
              onChange={(event) => replace({ label: event.currentTarget.value })}
            />
            <TextInput
              aria-label={words.url(index + 1)}
              type="url"
              placeholder={words.urlHint}
              value={link.url}
              maxLength={2048}
              error={problems.url}
              onChange={(event) => replace({ url: event.currentTarget.value })}
            />
          </div>
        );
      }}
    </OrderedList>
  );
}

/** Shows how the text about the owner begins. It is written in Write. */
export function AboutText({ about }: Pick<Site, 'about'>): ReactElement {
  const { id, label, description } = settingProps('site', 'about', settingAreas.site.about);
  return (
    <div role="group" id={id} aria-labelledby={`${id}-label`} aria-describedby={`${id}-about`}>
      <Input.Label id={`${id}-label`} labelElement="div">
        {label}
      </Input.Label>
      <Input.Description id={`${id}-about`}>{description}</Input.Description>
      {about !== '' && (
        <Text lineClamp={3} mt={6} className={shared.wrap}>
          {about}
        </Text>
      )}
      <Button component="a" href={writeHash({ page: '_about' })} variant="default" size="xs" mt={6}>
        {about === '' ? words.writeAbout : words.editAbout}
      </Button>
    </div>
  );
}

interface PagesProps {
  readonly pages: Site['pages'];
  readonly onChange: (pages: Site['pages']) => void;
}

/** Lists the owner's pages, which are written in Write. Here they get their order. */
export function PageList({ pages, onChange }: PagesProps): ReactElement {
  return (
    <OrderedList
      {...settingProps('site', 'pages', settingAreas.site.pages)}
      one={words.page}
      items={pages}
      most={50}
      nameOf={({ title }) => title}
      adding={{ label: words.write, href: writeHash({ page: 'new' }) }}
      onChange={onChange}
    >
      {({ slug, title }) => (
        <div className={styles.pageName}>
          <Anchor
            href={writeHash({ page: slug })}
            aria-label={words.edit(title)}
            underline="always"
            c="inherit"
            className={shared.wrap}
          >
            {title}
          </Anchor>
          <Text size="sm" c="dimmed" className={shared.wrap}>
            /{slug}
          </Text>
        </div>
      )}
    </OrderedList>
  );
}

/** How the owner adds an item: an empty one here, or one that is made on another screen. */
type Adding<T> = { readonly label: string } & ({ readonly empty: T } | { readonly href: string });

interface ListProps<T> {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** The noun for one item, such as "link". */
  readonly one: string;
  readonly items: readonly T[];
  readonly most: number;
  readonly adding: Adding<T>;
  /** Returns the name of an item for its buttons; empty if it has none yet. */
  readonly nameOf: (item: T) => string;
  readonly onChange: (items: T[]) => void;
  readonly children: (item: T, index: number, replace: (changes: Partial<T>) => void) => ReactNode;
}

/** A list whose items the owner adds, edits, moves and deletes. */
function OrderedList<T>(props: ListProps<T>): ReactElement {
  const { id, label, description, one, items, most, adding, nameOf, onChange, children } = props;
  const list = useRef<HTMLOListElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const [announced, setAnnounced] = useState('');
  const nameAt = (index: number) => {
    const item = items[index];
    const name = item === undefined ? '' : nameOf(item).trim();
    return name === '' ? `${one} ${index + 1}` : name;
  };
  /** Renders the changed list at once, so that the next key goes to its row `index`. */
  const change = (
    changed: T[],
    index: number,
    find: (row: Element | undefined) => HTMLElement | null | undefined,
  ) => {
    flushSync(() => onChange(changed));
    find(list.current?.children[index])?.focus();
  };

  const add = (empty: T) => change([...items, empty], items.length, (row) => row?.querySelector('input'));
  const move = (index: number, step: 1 | -1) => {
    const next = [...items];
    next.splice(index + step, 0, ...next.splice(index, 1));
    setAnnounced(listWords.moved(nameAt(index), index + step + 1, items.length));
    const selector = `[data-move="${step}"]:not(:disabled)`;
    change(
      next,
      index + step,
      (row) => row?.querySelector<HTMLElement>(selector) ?? row?.querySelector('[data-move]:not(:disabled)'),
    );
  };
  const remove = (index: number) => {
    onChange(items.filter((_, place) => place !== index));
    setAnnounced(listWords.removed(nameAt(index)));
    end.current?.querySelector<HTMLElement>('a, button')?.focus();
  };

  const look = {
    variant: 'default',
    size: 'xs',
    leftSection: <IconPlus size={14} aria-hidden="true" />,
  } as const;
  return (
    <div role="group" id={id} aria-labelledby={`${id}-label`} aria-describedby={`${id}-about`}>
      <Input.Label id={`${id}-label`} labelElement="div">
        {label}
      </Input.Label>
      <Input.Description id={`${id}-about`}>{description}</Input.Description>
      <Stack gap="xs" mt={6}>
        <ol ref={list} className={styles.list}>
          {items.map((item, index) => (
            <li key={index} className={styles.item}>
              {children(item, index, (changes) =>
                onChange(items.map((other, place) => (place === index ? { ...other, ...changes } : other))),
              )}
              <ItemButtons
                name={nameAt(index)}
                isFirst={index === 0}
                isLast={index === items.length - 1}
                onMove={(step) => move(index, step)}
                onRemove={() => remove(index)}
              />
            </li>
          ))}
        </ol>
        <Group ref={end}>
          {'href' in adding ? (
            <Button {...look} component="a" href={adding.href}>
              {adding.label}
            </Button>
          ) : (
            <Button {...look} disabled={items.length >= most} onClick={() => add(adding.empty)}>
              {adding.label}
            </Button>
          )}
          <Text role="status" size="sm" c="dimmed">
            {announced}
          </Text>
        </Group>
      </Stack>
    </div>
  );
}

interface ButtonsProps {
  readonly name: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (step: 1 | -1) => void;
  readonly onRemove: () => void;
}

function ItemButtons({ name, isFirst, isLast, onMove, onRemove }: ButtonsProps): ReactElement {
  const look = { variant: 'subtle', color: 'gray', size: 36 } as const;
  return (
    <Group gap={2} wrap="nowrap">
      <ActionIcon
        {...look}
        data-move={-1}
        disabled={isFirst}
        aria-label={listWords.up(name)}
        onClick={() => onMove(-1)}
      >
        <IconArrowUp size={16} aria-hidden="true" />
      </ActionIcon>
      <ActionIcon
        {...look}
        data-move={1}
        disabled={isLast}
        aria-label={listWords.down(name)}
        onClick={() => onMove(1)}
      >
        <IconArrowDown size={16} aria-hidden="true" />
      </ActionIcon>
      <ActionIcon {...look} aria-label={listWords.remove(name)} onClick={onRemove}>
        <IconTrash size={16} aria-hidden="true" />
      </ActionIcon>
    </Group>
  );
}
