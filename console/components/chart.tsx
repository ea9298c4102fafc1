/**
 * A chart over time. With the focus on it, the arrow keys move from step to step and the values are announced, as with a slider.
 *
 * The names and values are drawn on a canvas or shown as text.
 */

import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";

export interface Series {
  readonly name: string;
  /** Name of a colour token without its dashes. */
  readonly color: string;
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly title: string;
  /** Value of the whole range, shown while no step is pointed at. */
  readonly summary?: string;
  /** Time of the first step, in milliseconds since the epoch. */
  readonly from: number;
  readonly stepMs: number;
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** `stack`: bars on top of each other. Default `line`. */
  readonly form?: "line" | "area" | "stack";
  /** A logarithmic scale, for durations. */
  readonly isLogarithmic?: boolean;
  readonly emptyText?: string;
}

/** All charts of a page point at the same step. */
const SYNC = "charts";
const HEIGHT = 132;

export function Chart(props: ChartProps): VNode {
  const { title, summary, from, stepMs, series, format, emptyText = "Nothing in this range" } = props;
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const [at, point] = useState<number | undefined>(undefined);
  const theme = useTheme();
  const steps = series[0]?.values.length ?? 0;
  const isEmpty = series.every(({ values }) => values.every((value) => value === null || value === 0));

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const made = new uPlot(optionsOf(props, element, point), dataOf(props), element);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, [theme, stepMs, props.form, series.map(({ name, color }) => `${name} ${color}`).join()]);
  useEffect(() => plot.current?.setData(dataOf(props)), [from, stepMs, series]);

  const last = steps - 1;
  const shown = at === undefined || at > last ? undefined : at;
  const valuesAt = (index: number): string =>
    series.map(({ name, values }) => `${name} ${values[index] === null ? "none" : format(values[index] ?? 0)}`).join(", ");
  const go = (index: number): void => {
    const made = plot.current;
    const next = Math.min(Math.max(index, 0), last);
    point(next);
    made?.setCursor({ left: made.valToPos((from + next * stepMs) / 1_000, "x"), top: HEIGHT / 2 }, false);
  };
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        <span class="chart-value">{shown === undefined ? summary : timeText(from + shown * stepMs, stepMs)}</span>
      </figcaption>
      <div class="chart-legend" aria-hidden="true">
        {series.map(({ name, color, values }) => (
          <span key={name} class="chart-key">
            <span class={`swatch ${color}`} />
            {name}
            {shown !== undefined && <b>{values[shown] === null || values[shown] === undefined ? "–" : format(values[shown])}</b>}
          </span>
        ))}
      </div>
      <div
        class="chart-frame"
        ref={frame}
        tabIndex={0}
        role="slider"
        aria-label={`${title}, step`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={shown ?? last}
        aria-valuetext={`${timeText(from + (shown ?? last) * stepMs, stepMs)}: ${valuesAt(shown ?? last)}`}
        onKeyDown={(event) => {
          const moves: Readonly<Record<string, number>> = {
            ArrowLeft: (shown ?? steps) - 1,
            ArrowRight: (shown ?? last) + 1,
            Home: 0,
            End: last,
          };
          const next = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
          if (next === undefined) return;
          event.preventDefault();
          go(next);
        }}
        onBlur={() => point(undefined)}
      />
      {isEmpty && <p class="chart-empty">{emptyText}</p>}
    </figure>
  );
}

/** Line of a few pixels, for a table's row. The row has the numbers. */
export function Sparkline({ values }: { readonly values: readonly number[] }): VNode {
  const most = Math.max(1, ...values);
  const points = values.map(
    (value, index) => `${((index / Math.max(1, values.length - 1)) * 96 + 2).toFixed(1)},${(18 - (value / most) * 16).toFixed(1)}`,
  );
  return (
    <svg class="sparkline" width="100" height="20" viewBox="0 0 100 20" aria-hidden="true">
      <polyline points={points.join(" ")} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" />
    </svg>
  );
}

/** The theme's name: colours on a canvas do not follow the style sheet. */
function useTheme(): string {
  const read = (): string => document.documentElement.dataset["theme"] ?? "";
  const [theme, change] = useState(read);
  useEffect(() => {
    const observer = new MutationObserver(() => change(read()));
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => observer.disconnect();
  }, []);
  return theme;
}

/** A stack is drawn from its total down, so each series is the sum of those from it on. */
function dataOf({ from, stepMs, series, form }: ChartProps): uPlot.AlignedData {
  const steps = series[0]?.values.length ?? 0;
  const times = Array.from({ length: steps }, (_none, index) => (from + index * stepMs) / 1_000);
  const shown = series.map(({ values }, nth) =>
    form === "stack"
      ? values.map((_value, index) => series.slice(nth).reduce((sum, { values: own }) => sum + (own[index] ?? 0), 0))
      : [...values],
  );
  return [times, ...shown];
}

function optionsOf(
  { stepMs, series, format, form = "line", isLogarithmic = false }: ChartProps,
  element: HTMLElement,
  point: (index: number | undefined) => void,
): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const axis = { stroke: color("soft"), font: `11px ${style.fontFamily}`, ticks: { show: false } };
  const bars = uPlot.paths.bars?.({ size: [0.72, 14] });
  return {
    width: Math.max(80, element.clientWidth),
    height: HEIGHT,
    legend: { show: false },
    padding: [8, 6, 0, 0],
    cursor: { sync: { key: SYNC }, drag: { x: false, y: false }, points: { size: 6 }, y: false },
    scales: {
      // Half a step at both ends, for the first and the last bar.
      x: { time: true, range: (_plot, first, last) => [first - stepMs / 2_000, last + stepMs / 2_000] },
      y: isLogarithmic
        ? { distr: 3, range: (_plot, least, most) => [Math.max(0.1, least * 0.7), Math.max(1, most * 1.4)] }
        : { range: (_plot, _least, most) => [0, Math.max(1, most * 1.12)] },
    },
    axes: [
      {
        ...axis,
        size: 24,
        space: 64,
        grid: { show: false },
        values: (_plot, splits) => splits.map((seconds) => tickText(seconds * 1_000, stepMs)),
      },
      {
        ...axis,
        size: 52,
        space: 34,
        grid: { stroke: color("line"), width: 1 },
        values: (_plot, splits) => splits.map((value) => (value === null ? "" : format(value))),
        ...(isLogarithmic
          ? { splits: (_plot, _axis, least, most) => POWERS.filter((power) => power >= least && power <= most) }
          : { incrs: form === "area" ? MEMORY_STEPS : COUNT_STEPS }),
      },
    ],
    series: [
      {},
      ...series.map(({ color: name }): uPlot.Series => {
        const stroke = color(name);
        if (form === "stack") return { fill: stroke, width: 0, points: { show: false }, ...(bars && { paths: bars }) };
        return {
          stroke,
          width: 1.75,
          points: { show: true, size: 5, fill: stroke, ...(!isLogarithmic && { filter: lonely }) },
          ...(form === "area" && { fill: `${stroke}22` }),
        };
      }),
    ],
    hooks: { setCursor: [({ cursor: { idx, left } }) => point(left === undefined || left < 0 ? undefined : (idx ?? undefined))] },
  };
}

const POWERS = [0.1, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];
const COUNT_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 1_000_000, 10_000_000];
/** Counts, and powers of two for bytes. */
const MEMORY_STEPS = [1, 2, 5, 10, 20, 50, 100, ...Array.from({ length: 20 }, (_none, power) => 2 ** (power + 16))];

/** Values without neighbours, which a line does not show. */
function lonely(plot: uPlot, series: number): number[] {
  const values = plot.data[series] ?? [];
  const isValue = (index: number): boolean => values[index] !== null && values[index] !== undefined;
  return [...values.keys()].filter((index) => isValue(index) && !isValue(index - 1) && !isValue(index + 1));
}

const HOUR = 3_600_000;

function tickText(time: number, stepMs: number): string {
  const date = new Date(time);
  if (stepMs < HOUR) return date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });
  return date.toLocaleDateString(undefined, { weekday: "short", day: "numeric" });
}

function timeText(time: number, stepMs: number): string {
  const date = new Date(time);
  const clock = date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });
  return stepMs < 300_001 ? clock : `${date.toLocaleDateString(undefined, { weekday: "short", day: "numeric", month: "short" })}, ${clock}`;
}
