-- Views and macros for analysts, part of every table file. docs/tables.md has examples.
-- `EXPORT DATABASE` writes them in alphabetical order and `IMPORT DATABASE` reads them in that
-- order. A view or macro may therefore use only names before its own. Helpers begin with `base_`.
--
-- Chomp coordinates: [x, y, z] are columns of height 3, 2 and 1; the row lengths are
-- a = x + y + z >= b = x + y >= c = x, the poison row first.

CREATE OR REPLACE VIEW base_sheets AS
SELECT game_id, x, prefix_length, tail_period, tail_z, p_count, diagonal_z, max_z
FROM sheet
UNION ALL
SELECT
    c.game_id,
    c.x,
    c.prefix_length,
    c.tail_period,
    c.tail_z,
    c.prefix_length + c.tail_period AS p_count,
    c.diagonal_z,
    c.max_z
FROM census AS c
WHERE c.x > coalesce((SELECT max(s.x) FROM sheet AS s WHERE s.game_id = c.game_id), -1);
COMMENT ON VIEW base_sheets IS
    'Helper: use the view sheets. Loser sheets of the table sheet, and beyond them of the census';
COMMENT ON COLUMN base_sheets.game_id IS 'number of the game; see table game';
COMMENT ON COLUMN base_sheets.x IS 'number of the sheet';
COMMENT ON COLUMN base_sheets.prefix_length IS 'number of columns y = 0, 1, ... before the tail or the stop';
COMMENT ON COLUMN base_sheets.tail_period IS 'period of the tail from y = prefix_length on; 0: no P-positions there; -1: not computed there';
COMMENT ON COLUMN base_sheets.tail_z IS 'z at y = prefix_length, ...: one period of the tail';
COMMENT ON COLUMN base_sheets.p_count IS 'P-positions of the prefix and of one period';
COMMENT ON COLUMN base_sheets.diagonal_z IS 'z at y = 0, on the deadly diagonal; NULL: no P-position there';
COMMENT ON COLUMN base_sheets.max_z IS 'largest z of the sheet; NULL: no P-position';

CREATE OR REPLACE VIEW p_positions AS
SELECT
    g.name AS game,
    p.x,
    p.y,
    p.z,
    CASE WHEN g.family = 'chomp3' THEN p.x + p.y + p.z END AS a,
    CASE WHEN g.family = 'chomp3' THEN p.x + p.y END AS b,
    CASE WHEN g.family = 'chomp3' THEN p.x END AS c
FROM p_position AS p
JOIN game AS g USING (game_id);
COMMENT ON VIEW p_positions IS
    'P-positions by game name; for Chomp also as row lengths a >= b >= c. One period of each tail';
COMMENT ON COLUMN p_positions.game IS 'canonical text of the game';
COMMENT ON COLUMN p_positions.x IS 'columns of height 3 (Chomp) or first heap';
COMMENT ON COLUMN p_positions.y IS 'columns of height 2 (Chomp) or second heap';
COMMENT ON COLUMN p_positions.z IS 'columns of height 1 (Chomp) or third heap';
COMMENT ON COLUMN p_positions.a IS 'length of the poison row, x + y + z; NULL: not Chomp';
COMMENT ON COLUMN p_positions.b IS 'length of the second row, x + y; NULL: not Chomp';
COMMENT ON COLUMN p_positions.c IS 'length of the third row, x; NULL: not Chomp';

CREATE OR REPLACE VIEW sheets AS
SELECT
    g.name AS game,
    s.x,
    CASE
        WHEN s.tail_period = -1 THEN 'not computed'
        WHEN s.p_count = 0 THEN 'empty'
        WHEN s.tail_period = 0 THEN 'stops'
        WHEN s.tail_period = 1 THEN 'constant'
        ELSE 'periodic'
    END AS tail,
    s.prefix_length,
    s.tail_period,
    s.tail_z,
    s.p_count,
    s.diagonal_z,
    s.max_z
FROM base_sheets AS s
JOIN game AS g USING (game_id);
COMMENT ON VIEW sheets IS
    'Loser sheets by game name; tail: stops, constant, periodic, empty or not computed';
COMMENT ON COLUMN sheets.game IS 'canonical text of the game';
COMMENT ON COLUMN sheets.x IS 'number of the sheet';
COMMENT ON COLUMN sheets.tail IS 'stops, constant, periodic, empty, or not computed (beyond the largest y of the build)';
COMMENT ON COLUMN sheets.prefix_length IS 'number of columns y = 0, 1, ... before the tail or the stop';
COMMENT ON COLUMN sheets.tail_period IS 'period of the tail from y = prefix_length on; 0: no P-positions there; -1: not computed there';
COMMENT ON COLUMN sheets.tail_z IS 'z at y = prefix_length, ...: one period of the tail';
COMMENT ON COLUMN sheets.p_count IS 'P-positions of the prefix and of one period';
COMMENT ON COLUMN sheets.diagonal_z IS 'z at y = 0, on the deadly diagonal; NULL: no P-position there';
COMMENT ON COLUMN sheets.max_z IS 'largest z of the sheet; NULL: no P-position';

CREATE OR REPLACE VIEW builds AS
SELECT
    b.build_id,
    g.name AS game,
    b.kind,
    b.limit_text,
    b.started_at,
    b.seconds,
    b.rows,
    b.checksum,
    b.program,
    b.environment
FROM build AS b
JOIN game AS g USING (game_id)
ORDER BY b.build_id;
COMMENT ON VIEW builds IS 'Provenance by game name';
COMMENT ON COLUMN builds.build_id IS 'number of the build in this file, from 1';
COMMENT ON COLUMN builds.game IS 'canonical text of the game';
COMMENT ON COLUMN builds.kind IS 'what was computed, e.g. sheets';
COMMENT ON COLUMN builds.limit_text IS 'limit of the build, e.g. 10000';
COMMENT ON COLUMN builds.started_at IS 'when the computation began (UTC)';
COMMENT ON COLUMN builds.seconds IS 'wall-clock seconds of computing and writing';
COMMENT ON COLUMN builds.rows IS 'rows of the largest table written';
COMMENT ON COLUMN builds.checksum IS 'checksum of all values written, 16 hexadecimal digits; equal for equal tables';
COMMENT ON COLUMN builds.program IS 'name and version of the program that computed the tables';
COMMENT ON COLUMN builds.environment IS 'versions of Python, libraries and platform, as JSON';

CREATE OR REPLACE VIEW tail_census AS
SELECT game, tail_period, count(*) AS sheets
FROM sheets
GROUP BY game, tail_period
ORDER BY game, tail_period;
COMMENT ON VIEW tail_census IS
    'Number of sheets by period of their tail; 0: the sheet stops, -1: not computed';
COMMENT ON COLUMN tail_census.game IS 'canonical text of the game';
COMMENT ON COLUMN tail_census.tail_period IS 'period of the tail; 0: the sheet stops; -1: not computed';
COMMENT ON COLUMN tail_census.sheets IS 'number of sheets with this period';

CREATE OR REPLACE VIEW deadly_diagonal AS
SELECT g.name AS game, s.x AS q, s.x + s.diagonal_z AS p
FROM base_sheets AS s
JOIN game AS g USING (game_id)
WHERE g.family = 'chomp3' AND s.diagonal_z IS NOT NULL
ORDER BY game, q;
COMMENT ON VIEW deadly_diagonal IS
    'Chomp: the P-positions with rows p >= q = q, that is p = f(q, q) (OEIS A029900)';
COMMENT ON COLUMN deadly_diagonal.game IS 'canonical text of the game';
COMMENT ON COLUMN deadly_diagonal.q IS 'length of the second and of the third row';
COMMENT ON COLUMN deadly_diagonal.p IS 'length of the poison row, f(q, q) (OEIS A029900)';

CREATE OR REPLACE VIEW stops AS
SELECT g.name AS game, s.x + s.prefix_length - 1 AS p, s.x AS r
FROM base_sheets AS s
JOIN game AS g USING (game_id)
WHERE g.family = 'chomp3' AND s.tail_period = 0 AND s.p_count > 0
ORDER BY game, r;
COMMENT ON VIEW stops IS
    'Chomp: the P-positions with rows p = p >= r, which end their sheets (OEIS A029901, A029902)';
COMMENT ON COLUMN stops.game IS 'canonical text of the game';
COMMENT ON COLUMN stops.p IS 'length of the poison row and of the second row (OEIS A029901)';
COMMENT ON COLUMN stops.r IS 'length of the third row (OEIS A029902)';

CREATE OR REPLACE VIEW constant_tails AS
SELECT g.name AS game, s.x AS r, s.x + s.prefix_length AS q, s.tail_z[1] AS c
FROM base_sheets AS s
JOIN game AS g USING (game_id)
WHERE g.family = 'chomp3' AND s.tail_period = 1
ORDER BY game, r;
COMMENT ON VIEW constant_tails IS
    'Chomp: sheets r with f(q'', r) = q'' + c for all q'' >= q (OEIS A029903, A029904, A029905)';
COMMENT ON COLUMN constant_tails.game IS 'canonical text of the game';
COMMENT ON COLUMN constant_tails.r IS 'length of the third row (OEIS A029905)';
COMMENT ON COLUMN constant_tails.q IS 'least length of the second row (OEIS A029904)';
COMMENT ON COLUMN constant_tails.c IS 'length of the poison row minus that of the second row (OEIS A029903)';

CREATE OR REPLACE VIEW openings AS
WITH plain AS (
    SELECT g.name AS game, s.*,
        -- Sheets stop near sqrt 2 x, at most 48 rows earlier: later ones win no shorter rectangle.
        greatest(max(s.x) OVER (), floor(sqrt(2) * max(s.x) OVER () - 64)) AS largest
    FROM base_sheets AS s
    JOIN game AS g USING (game_id)
    WHERE g.name = 'chomp3'
)
SELECT game, x + diagonal_z AS length, x, 0 AS y, diagonal_z AS z, 'rows 2 and 3' AS bite
FROM plain
WHERE x + diagonal_z <= largest
UNION ALL
SELECT game, x + prefix_length - 1 AS length, x, prefix_length - 1 AS y, 0 AS z, 'row 3' AS bite
FROM plain
WHERE tail_period = 0 AND p_count > 0 AND x + prefix_length - 1 <= largest
ORDER BY length, x;
COMMENT ON VIEW openings IS
    'Chomp: winning first moves [x, y, z] from the 3 x length rectangle, complete up to sqrt 2 max(x)';
COMMENT ON COLUMN openings.game IS 'canonical text of the game';
COMMENT ON COLUMN openings.length IS 'columns of the rectangle with three rows';
COMMENT ON COLUMN openings.x IS 'columns of height 3 after the move';
COMMENT ON COLUMN openings.y IS 'columns of height 2 after the move';
COMMENT ON COLUMN openings.z IS 'columns of height 1 after the move';
COMMENT ON COLUMN openings.bite IS 'rows 2 and 3: both are shortened to x; row 3: only the third row is';

CREATE OR REPLACE VIEW p_counts AS
WITH limits AS (
    -- Beyond a cut sheet not all P-positions are known.
    SELECT
        game_id,
        least(max(x), min(x + prefix_length - 1) FILTER (tail_period = -1)) AS largest_a
    FROM sheet
    GROUP BY game_id
),
prefix AS (
    SELECT p.game_id, p.x + p.y + p.z AS a, count(*) AS positions
    FROM p_position AS p
    JOIN limits AS l USING (game_id)
    JOIN sheet AS s ON s.game_id = p.game_id AND s.x = p.x
    WHERE p.y < s.prefix_length AND p.x + p.y + p.z <= l.largest_a
    GROUP BY ALL
),
tail AS (
    SELECT s.game_id, s.tail_period, l.largest_a,
        s.x + s.prefix_length + i - 1 + s.tail_z[i] AS first_a
    FROM sheet AS s
    JOIN limits AS l USING (game_id), generate_series(1, s.tail_period) AS t (i)
    WHERE s.tail_period > 0
),
tails AS (
    SELECT t.game_id, u.a, count(*) AS positions
    FROM tail AS t, generate_series(t.first_a, t.largest_a, t.tail_period) AS u (a)
    GROUP BY ALL
),
counted AS (
    SELECT game_id, a, sum(positions) AS positions
    FROM (FROM prefix UNION ALL FROM tails)
    GROUP BY ALL
)
SELECT
    g.name AS game,
    c.a AS n,
    c.positions::BIGINT AS p_positions,
    sum(c.positions) OVER (PARTITION BY g.name ORDER BY c.a)::BIGINT AS cumulative
FROM counted AS c
JOIN game AS g USING (game_id)
WHERE g.family = 'chomp3'
ORDER BY game, n;
COMMENT ON VIEW p_counts IS
    'Chomp: P-positions with longest row n, and with at most n (OEIS A029899), as far as all are known';
COMMENT ON COLUMN p_counts.game IS 'canonical text of the game';
COMMENT ON COLUMN p_counts.n IS 'length of the poison row';
COMMENT ON COLUMN p_counts.p_positions IS 'P-positions with longest row n';
COMMENT ON COLUMN p_counts.cumulative IS 'P-positions with longest row n or less (OEIS A029899)';

CREATE OR REPLACE MACRO base_chomp3_z(game_name, at_x, at_y) AS (
    SELECT CASE
        WHEN at_y < 0 THEN NULL
        WHEN at_y < s.prefix_length THEN (
            SELECT p.z FROM p_position AS p
            WHERE p.game_id = s.game_id AND p.x = at_x AND p.y = at_y
        )
        WHEN s.tail_period > 0
            THEN s.tail_z[1 + ((at_y - s.prefix_length) % s.tail_period)::INTEGER]
    END
    FROM sheet AS s
    JOIN game AS g USING (game_id)
    WHERE g.name = game_name AND s.x = at_x
);
COMMENT ON MACRO base_chomp3_z IS 'Helper of chomp3_z and chomp3_outcome: use chomp3_z';

CREATE OR REPLACE MACRO chomp3_outcome(game_name, at_x, at_y, at_z) AS (
    SELECT CASE
        -- Neither NULL nor a fraction is a position.
        WHEN (at_y >= 0 AND at_y % 1 = 0 AND at_z >= 0 AND at_z % 1 = 0) IS NOT TRUE THEN NULL
        WHEN s.tail_period = -1 AND at_y >= s.prefix_length THEN NULL
        WHEN base_chomp3_z(game_name, at_x, at_y) = at_z THEN 'P'
        ELSE 'N'
    END
    FROM sheet AS s
    JOIN game AS g USING (game_id)
    WHERE g.name = game_name AND s.x = at_x
);
COMMENT ON MACRO chomp3_outcome IS 'chomp3_outcome(game, x, y, z): P or N of [x, y, z], for any y; NULL: outside the table';

CREATE OR REPLACE MACRO chomp3_z(game_name, at_x, at_y) AS (
    SELECT base_chomp3_z(game_name, at_x, at_y)
);
COMMENT ON MACRO chomp3_z IS 'chomp3_z(game, x, y): z of the P-position [x, y, z], for any y; NULL: none, or outside the table';

CREATE OR REPLACE VIEW board_p_positions AS
SELECT
    g.name AS game,
    o.name AS outer_board,
    p.rank,
    p.row_lengths,
    len(p.row_lengths) AS height,
    p.row_lengths[1] AS width,
    list_sum(p.row_lengths)::BIGINT AS cookies
FROM board_p_position AS p
JOIN outer_board AS o USING (game_id, outer_id)
JOIN game AS g USING (game_id);
COMMENT ON VIEW board_p_positions IS
    'Chomp boards: P-positions by row lengths, inside each bounding board';
COMMENT ON COLUMN board_p_positions.game IS 'canonical text of the game';
COMMENT ON COLUMN board_p_positions.outer_board IS 'bounding board, e.g. 13x13; the number n: all boards of at most n cookies';
COMMENT ON COLUMN board_p_positions.rank IS 'number of the board inside the bounding board; see docs/boards.md';
COMMENT ON COLUMN board_p_positions.row_lengths IS 'row lengths, poison row first, no empty rows';
COMMENT ON COLUMN board_p_positions.height IS 'number of rows';
COMMENT ON COLUMN board_p_positions.width IS 'length of the poison row';
COMMENT ON COLUMN board_p_positions.cookies IS 'number of cookies';

CREATE OR REPLACE VIEW board_counts AS
WITH source AS (
    SELECT game_id, arg_max(outer_id, complete_cookies) AS outer_id,
        max(complete_cookies) AS complete_cookies
    FROM outer_board
    GROUP BY game_id
)
SELECT
    g.name AS game,
    c.cookies AS n,
    sum(c.boards)::BIGINT AS boards,
    sum(c.p_positions)::BIGINT AS p_positions,
    sum(c.boards - c.p_positions)::BIGINT AS n_positions,
    sum(c.one_winning_bite)::BIGINT AS one_winning_bite,
    sum(c.more_winning_bites)::BIGINT AS more_winning_bites
FROM board_count AS c
JOIN source AS s USING (game_id, outer_id)
JOIN game AS g USING (game_id)
WHERE c.cookies <= s.complete_cookies
GROUP BY ALL
ORDER BY game, n;
COMMENT ON VIEW board_counts IS
    'Chomp boards of n cookies: P-positions (OEIS A112470), N-positions (A112471), with one and with several winning moves (A112472, A112473)';
COMMENT ON COLUMN board_counts.game IS 'canonical text of the game';
COMMENT ON COLUMN board_counts.n IS 'number of cookies';
COMMENT ON COLUMN board_counts.boards IS 'boards of n cookies';
COMMENT ON COLUMN board_counts.p_positions IS 'P-positions among them (OEIS A112470)';
COMMENT ON COLUMN board_counts.n_positions IS 'N-positions among them (OEIS A112471)';
COMMENT ON COLUMN board_counts.one_winning_bite IS 'N-positions with exactly one winning bite (OEIS A112472)';
COMMENT ON COLUMN board_counts.more_winning_bites IS 'N-positions with several winning bites (OEIS A112473)';

CREATE OR REPLACE VIEW board_widths AS
SELECT
    g.name AS game,
    o.name AS outer_board,
    c.width AS n,
    sum(c.p_positions)::BIGINT AS p_positions,
    sum(sum(c.p_positions)) OVER (PARTITION BY g.name, o.name ORDER BY c.width)::BIGINT
        AS cumulative
FROM board_count AS c
JOIN outer_board AS o USING (game_id, outer_id)
JOIN game AS g USING (game_id)
WHERE c.width > 0
GROUP BY g.name, o.name, c.width
ORDER BY game, outer_board, n;
COMMENT ON VIEW board_widths IS
    'Chomp boards inside a bounding board: P-positions with longest row n, and with at most n';
COMMENT ON COLUMN board_widths.game IS 'canonical text of the game';
COMMENT ON COLUMN board_widths.outer_board IS 'bounding board, e.g. 13x13; the number n: all boards of at most n cookies';
COMMENT ON COLUMN board_widths.n IS 'length of the poison row';
COMMENT ON COLUMN board_widths.p_positions IS 'P-positions with longest row n';
COMMENT ON COLUMN board_widths.cumulative IS 'P-positions with longest row n or less';

CREATE OR REPLACE VIEW board_openings AS
SELECT DISTINCT
    g.name AS game,
    len(p.row_lengths) AS rows,
    p.row_lengths[1] AS columns,
    list_position(p.row_lengths, p.row_lengths[-1]) AS bite_row,
    p.row_lengths[-1] + 1 AS bite_column,
    p.row_lengths
FROM board_p_position AS p
JOIN outer_board AS o USING (game_id, outer_id)
JOIN game AS g USING (game_id)
WHERE o.row_lengths[len(p.row_lengths)] >= p.row_lengths[1]
    AND len(list_distinct(p.row_lengths)) = 2
ORDER BY game, rows, columns, bite_row;
COMMENT ON VIEW board_openings IS
    'Chomp: winning first bites from every rectangle of two rows and columns or more that is inside a bounding board';
COMMENT ON COLUMN board_openings.game IS 'canonical text of the game';
COMMENT ON COLUMN board_openings.rows IS 'rows of the rectangle';
COMMENT ON COLUMN board_openings.columns IS 'columns of the rectangle';
COMMENT ON COLUMN board_openings.bite_row IS 'row of the bitten cookie, from 1 (the poison row)';
COMMENT ON COLUMN board_openings.bite_column IS 'column of the bitten cookie, from 1 (the poison)';
COMMENT ON COLUMN board_openings.row_lengths IS 'row lengths after the bite, poison row first';

CREATE OR REPLACE VIEW random_plays AS
SELECT
    g.name AS game,
    r.c AS x,
    r.b - r.c AS y,
    r.a - r.b AS z,
    r.a,
    r.b,
    r.c,
    r.a + r.b + r.c AS n,
    r.p_mover,
    0.5::DOUBLE - r.p_mover AS shortfall,
    CASE WHEN r.is_p THEN 1 - r.p_random_wins ELSE 1 END AS p_perfect,
    CASE WHEN r.is_p THEN 0 ELSE r.p_random_wins END AS p_random
FROM random_play AS r
JOIN game AS g USING (game_id);
COMMENT ON VIEW random_plays IS
    'Chomp of n cookies in three rows: win probabilities of the player to move, both random (p_mover, shortfall = 1/2 - p_mover), perfect against random (p_perfect), random against perfect (p_random)';
COMMENT ON COLUMN random_plays.game IS 'canonical text of the game';
COMMENT ON COLUMN random_plays.x IS 'columns of height 3';
COMMENT ON COLUMN random_plays.y IS 'columns of height 2';
COMMENT ON COLUMN random_plays.z IS 'columns of height 1';
COMMENT ON COLUMN random_plays.a IS 'length of the poison row';
COMMENT ON COLUMN random_plays.b IS 'length of the second row';
COMMENT ON COLUMN random_plays.c IS 'length of the third row';
COMMENT ON COLUMN random_plays.n IS 'number of cookies';
COMMENT ON COLUMN random_plays.p_mover IS 'both random: probability that the player to move wins';
COMMENT ON COLUMN random_plays.shortfall IS '1/2 - p_mover';
COMMENT ON COLUMN random_plays.p_perfect IS 'perfect player to move, random opponent: probability that the player to move wins';
COMMENT ON COLUMN random_plays.p_random IS 'random player to move, perfect opponent: probability that the player to move wins';

CREATE OR REPLACE VIEW conjecture_1_5 AS
SELECT
    game,
    max(a) AS longest_row,
    count(*) AS boards,
    count(*) FILTER (shortfall < -1e-11) AS counterexamples,
    count(*) FILTER (abs(shortfall) <= 1e-11) AS undecided,
    min(shortfall) AS least_shortfall,
    arg_min([a, b, c], shortfall) AS closest_rows
FROM (SELECT name AS game, a, b, c, 0.5::DOUBLE - p_mover AS shortfall
    FROM random_play JOIN game USING (game_id))
WHERE a > 1 AND b > 0
GROUP BY game
ORDER BY game;
COMMENT ON VIEW conjecture_1_5 IS
    'Devlin & Trifonova, Conjecture 1.5: on boards with more than one row and column 1/2 - p_mover is positive; undecided: closer to 0 than any error of the table';
COMMENT ON COLUMN conjecture_1_5.game IS 'canonical text of the game';
COMMENT ON COLUMN conjecture_1_5.longest_row IS 'largest length of the poison row in the table';
COMMENT ON COLUMN conjecture_1_5.boards IS 'boards with more than one row and column';
COMMENT ON COLUMN conjecture_1_5.counterexamples IS 'boards with shortfall below 0 by more than any error of the table';
COMMENT ON COLUMN conjecture_1_5.undecided IS 'boards with shortfall closer to 0 than any error of the table';
COMMENT ON COLUMN conjecture_1_5.least_shortfall IS 'least 1/2 - p_mover';
COMMENT ON COLUMN conjecture_1_5.closest_rows IS 'row lengths of the board with the least shortfall';

CREATE OR REPLACE VIEW base_random_envelope AS
WITH boards AS (
    SELECT name AS game, a, b, c, a + b + c AS n, 0.5::DOUBLE - p_mover AS shortfall
    FROM random_play
    JOIN game USING (game_id)
),
extremes AS (
    SELECT
        game,
        n,
        min(shortfall) AS g,
        arg_min([a, b, c], shortfall) AS g_rows,
        max(shortfall) AS h,
        arg_max([a, b, c], shortfall) AS h_rows
    FROM boards
    WHERE a > 1 AND b > 0
    GROUP BY game, n
),
limits AS (
    SELECT game, max(a) AS largest_a FROM boards GROUP BY game
)
SELECT
    e.game,
    e.n,
    e.g,
    e.g_rows,
    e.h,
    e.h_rows,
    1 / (e.n * (e.n - 1)) AS hook_g,
    ((e.n - 1) * (e.n - 1) // 4) / (e.n * (e.n - 1) * (e.n - 2)) AS hook_h
FROM extremes AS e
JOIN limits AS l USING (game)
WHERE e.n <= l.largest_a + 1
ORDER BY e.game, e.n;
COMMENT ON VIEW base_random_envelope IS 'Helper: use the view random_envelope, which is the same';
COMMENT ON COLUMN base_random_envelope.game IS 'canonical text of the game';
COMMENT ON COLUMN base_random_envelope.n IS 'number of cookies';
COMMENT ON COLUMN base_random_envelope.g IS 'least 1/2 - p_mover of boards of n cookies with more than one row and column';
COMMENT ON COLUMN base_random_envelope.g_rows IS 'row lengths that attain g';
COMMENT ON COLUMN base_random_envelope.h IS 'greatest 1/2 - p_mover of boards of n cookies with more than one row and column';
COMMENT ON COLUMN base_random_envelope.h_rows IS 'row lengths that attain h';
COMMENT ON COLUMN base_random_envelope.hook_g IS 'least 1/2 - p_mover of hooks of n cookies, in closed form';
COMMENT ON COLUMN base_random_envelope.hook_h IS 'greatest 1/2 - p_mover of hooks of n cookies, in closed form';

CREATE OR REPLACE VIEW random_envelope AS
SELECT * FROM base_random_envelope
ORDER BY game, n;
COMMENT ON VIEW random_envelope IS
    'Least (g) and greatest (h) 1/2 - p_mover of three-row boards of n cookies, with row lengths that attain them, and those of hooks of any height; for all n whose boards are all there';
COMMENT ON COLUMN random_envelope.game IS 'canonical text of the game';
COMMENT ON COLUMN random_envelope.n IS 'number of cookies';
COMMENT ON COLUMN random_envelope.g IS 'least 1/2 - p_mover of boards of n cookies with more than one row and column';
COMMENT ON COLUMN random_envelope.g_rows IS 'row lengths that attain g';
COMMENT ON COLUMN random_envelope.h IS 'greatest 1/2 - p_mover of boards of n cookies with more than one row and column';
COMMENT ON COLUMN random_envelope.h_rows IS 'row lengths that attain h';
COMMENT ON COLUMN random_envelope.hook_g IS 'least 1/2 - p_mover of hooks of n cookies, in closed form';
COMMENT ON COLUMN random_envelope.hook_h IS 'greatest 1/2 - p_mover of hooks of n cookies, in closed form';

CREATE OR REPLACE VIEW conjecture_1_6 AS
WITH steps AS (
    SELECT *, h < lag(h) OVER (PARTITION BY game ORDER BY n) AS falls
    FROM base_random_envelope
)
SELECT
    game,
    max(n) AS largest_n,
    count(*) FILTER (g <= 1e-11) AS not_above_zero,
    coalesce(max(n) FILTER (NOT falls), min(n)) AS h_decreases_from,
    arg_max(h, n) AS last_h,
    ln(arg_min(h, n) FILTER (2 * n >= largest) / arg_max(h, n))
        / ln(max(n) / min(n) FILTER (2 * n >= largest)) AS decay,
    count(*) FILTER (g < hook_g - 1e-11 OR h > hook_h + 1e-11) AS outside_hooks
FROM (SELECT *, max(n) OVER (PARTITION BY game) AS largest FROM steps)
GROUP BY game
ORDER BY game;
COMMENT ON VIEW conjecture_1_6 IS
    'Devlin & Trifonova, Conjecture 1.6: 0 < g < h, h tends to 0; from which n on h falls, as n^-decay over the later half, and whether hooks are the extremes';
COMMENT ON COLUMN conjecture_1_6.game IS 'canonical text of the game';
COMMENT ON COLUMN conjecture_1_6.largest_n IS 'largest number of cookies whose boards are all in the table';
COMMENT ON COLUMN conjecture_1_6.not_above_zero IS 'how many n have g(n) <= 0 within the error';
COMMENT ON COLUMN conjecture_1_6.h_decreases_from IS 'number of cookies from which on h falls';
COMMENT ON COLUMN conjecture_1_6.last_h IS 'h at largest_n';
COMMENT ON COLUMN conjecture_1_6.decay IS 'exponent d: h falls as n^-d over the later half of n';
COMMENT ON COLUMN conjecture_1_6.outside_hooks IS 'how many n have boards outside the range of hooks';

CREATE OR REPLACE VIEW grundy_values AS
SELECT
    g.name AS game,
    v.coordinates,
    v.value,
    CASE WHEN g.family IN ('chomp3', 'chomp') THEN v.value + 1 END AS value_unrestricted
FROM grundy AS v
JOIN game AS g USING (game_id);
COMMENT ON VIEW grundy_values IS
    'Grundy values: where the poison cannot be eaten, and for Chomp also with every bite allowed';
COMMENT ON COLUMN grundy_values.game IS 'canonical text of the game';
COMMENT ON COLUMN grundy_values.coordinates IS '[x, y, z] in three-row Chomp, row lengths on other boards, heaps in heap games';
COMMENT ON COLUMN grundy_values.value IS 'Grundy value in normal play; in Chomp the poison may not be eaten';
COMMENT ON COLUMN grundy_values.value_unrestricted IS 'Chomp: Grundy value with every bite allowed, value + 1; NULL: another game';

CREATE OR REPLACE VIEW remoteness_values AS
SELECT g.name AS game, v.coordinates, v.value
FROM remoteness AS v
JOIN game AS g USING (game_id);
COMMENT ON VIEW remoteness_values IS
    'Plies to the end when the winner hurries and the loser delays';
COMMENT ON COLUMN remoteness_values.game IS 'canonical text of the game';
COMMENT ON COLUMN remoteness_values.coordinates IS '[x, y, z] in three-row Chomp, row lengths on other boards, heaps in heap games';
COMMENT ON COLUMN remoteness_values.value IS 'moves to the end when the winner hurries and the loser delays';

CREATE OR REPLACE VIEW position_values AS
SELECT
    g.name AS game,
    v.passes,
    v.coordinates,
    CASE WHEN v.wins THEN 'N' ELSE 'P' END AS outcome,
    v.grundy,
    v.remoteness,
    v.p_mover,
    1 - v.perfect_loses AS p_perfect,
    v.random_wins AS p_random,
    v.perfect_loses,
    v.turns
FROM position_value AS v
JOIN game AS g USING (game_id);
COMMENT ON VIEW position_values IS
    'Any game up to a limit: outcome, Grundy value, remoteness, win probabilities of the player to move, both random (p_mover), perfect against random (p_perfect), random against perfect (p_random), and expected turns';
COMMENT ON COLUMN position_values.game IS 'canonical text of the game';
COMMENT ON COLUMN position_values.passes IS 'passes left, at most those of the game';
COMMENT ON COLUMN position_values.coordinates IS '[x, y, z] in three-row Chomp, row lengths on other boards, heaps in other games, ascending where their order has no meaning';
COMMENT ON COLUMN position_values.outcome IS 'P or N';
COMMENT ON COLUMN position_values.grundy IS 'Grundy value in normal play, poison not eaten; NULL: misere play, declared positions, the empty board';
COMMENT ON COLUMN position_values.remoteness IS 'moves to the end when the winner hurries and the loser delays; NULL: the empty board';
COMMENT ON COLUMN position_values.p_mover IS 'both random: probability that the player to move wins';
COMMENT ON COLUMN position_values.p_perfect IS 'perfect player to move, random opponent: probability that the player to move wins';
COMMENT ON COLUMN position_values.p_random IS 'random player to move, perfect opponent: probability that the player to move wins';
COMMENT ON COLUMN position_values.perfect_loses IS '1 - p_perfect without rounding';
COMMENT ON COLUMN position_values.turns IS 'both random: expected number of turns to the end';

CREATE OR REPLACE VIEW pass_effects AS
SELECT
    g.name AS game,
    w.passes,
    w.coordinates,
    CASE WHEN w.wins THEN 'N' ELSE 'P' END AS outcome,
    CASE WHEN o.wins THEN 'N' ELSE 'P' END AS outcome_after_pass,
    w.p_mover,
    w.p_mover - o.p_mover AS p_mover_gained,
    w.turns - o.turns AS turns_gained
FROM position_value AS w
JOIN position_value AS o
    ON o.game_id = w.game_id AND o.coordinates = w.coordinates AND o.passes = w.passes - 1
JOIN game AS g ON g.game_id = w.game_id;
COMMENT ON VIEW pass_effects IS
    'Each position with passes beside the same one with one pass fewer: outcomes, and what the pass adds to the chance of the player to move and to the length of a game, both random';
COMMENT ON COLUMN pass_effects.game IS 'canonical text of the game';
COMMENT ON COLUMN pass_effects.passes IS 'passes left, at least 1';
COMMENT ON COLUMN pass_effects.coordinates IS 'as in position_values';
COMMENT ON COLUMN pass_effects.outcome IS 'P or N with these passes';
COMMENT ON COLUMN pass_effects.outcome_after_pass IS 'P or N with one pass fewer';
COMMENT ON COLUMN pass_effects.p_mover IS 'both random: probability that the player to move wins';
COMMENT ON COLUMN pass_effects.p_mover_gained IS 'p_mover minus that with one pass fewer';
COMMENT ON COLUMN pass_effects.turns_gained IS 'expected number of turns, both random, minus that with one pass fewer';

CREATE OR REPLACE VIEW transfinite_positions AS
SELECT
    base,
    block_type,
    position,
    heights[1] AS u,
    heights[2] AS v,
    CASE WHEN base = 'three_wide' THEN heights[3] END AS x,
    CASE WHEN base = 'two_by_two' THEN heights[3] END AS y,
    heights[4] AS z,
    outcome,
    grundy,
    grundy_unrestricted,
    size,
    rule,
    bite,
    reason,
    height_keys,
    grundy_key,
    size_key
FROM transfinite_position;
COMMENT ON VIEW transfinite_positions IS
    'Transfinite Chomp on a grid of ordinals; order by the keys, not by the texts';
COMMENT ON COLUMN transfinite_positions.base IS 'two_wide, three_wide or two_by_two';
COMMENT ON COLUMN transfinite_positions.block_type IS 'two_by_two: type A to F; NULL: another base';
COMMENT ON COLUMN transfinite_positions.position IS 'canonical text, e.g. transfinite:1x(w*2) + 2xw';
COMMENT ON COLUMN transfinite_positions.u IS 'height of the first column; two_by_two: lower left of the view from above [v z; u y]';
COMMENT ON COLUMN transfinite_positions.v IS 'height of the second column; two_by_two: upper left';
COMMENT ON COLUMN transfinite_positions.x IS 'three_wide: height of the third column; else NULL';
COMMENT ON COLUMN transfinite_positions.y IS 'two_by_two: lower right; else NULL';
COMMENT ON COLUMN transfinite_positions.z IS 'two_by_two: upper right; else NULL';
COMMENT ON COLUMN transfinite_positions.outcome IS 'P or N; NULL: not known';
COMMENT ON COLUMN transfinite_positions.grundy IS 'Grundy value, poison not eaten; NULL: not known';
COMMENT ON COLUMN transfinite_positions.grundy_unrestricted IS 'Grundy value, every bite allowed; NULL: not known';
COMMENT ON COLUMN transfinite_positions.size IS 'number of cookies, an ordinal, by natural sums and products';
COMMENT ON COLUMN transfinite_positions.rule IS 'theorem that the outcome rests on';
COMMENT ON COLUMN transfinite_positions.bite IS 'coordinates of the cookie of a winning bite; NULL: none known';
COMMENT ON COLUMN transfinite_positions.reason IS 'why no outcome or no bite is known, or NULL';
COMMENT ON COLUMN transfinite_positions.height_keys IS 'sort keys of the heights';
COMMENT ON COLUMN transfinite_positions.grundy_key IS 'sort key of grundy_unrestricted';
COMMENT ON COLUMN transfinite_positions.size_key IS 'sort key of size';

CREATE OR REPLACE VIEW transfinite_rules AS
SELECT
    base,
    block_type,
    rule,
    count(*) FILTER (outcome = 'P') AS p_positions,
    count(*) FILTER (outcome = 'N') AS n_positions,
    count(*) FILTER (outcome = 'N' AND bite IS NULL) AS without_bite,
    count(*) FILTER (outcome IS NULL) AS undecided
FROM transfinite_position
GROUP BY ALL
ORDER BY ALL;
COMMENT ON VIEW transfinite_rules IS 'Transfinite Chomp on a grid: what each theorem decides';
COMMENT ON COLUMN transfinite_rules.base IS 'two_wide, three_wide or two_by_two';
COMMENT ON COLUMN transfinite_rules.block_type IS 'two_by_two: type A to F; NULL: another base';
COMMENT ON COLUMN transfinite_rules.rule IS 'theorem that outcomes rest on';
COMMENT ON COLUMN transfinite_rules.p_positions IS 'P-positions by this rule';
COMMENT ON COLUMN transfinite_rules.n_positions IS 'N-positions by this rule';
COMMENT ON COLUMN transfinite_rules.without_bite IS 'N-positions by this rule without a known winning bite';
COMMENT ON COLUMN transfinite_rules.undecided IS 'positions without an outcome';

CREATE OR REPLACE VIEW frontier_members AS
SELECT
    v.g,
    min(f.a) FILTER (f.box_value = v.g) AS box_a,
    min(f.a) FILTER (f.side_top_value = v.g) AS side_top_a,
    box_a IS NOT NULL OR side_top_a IS NOT NULL AS found
FROM range(1, 100) AS v (g), frontier AS f
GROUP BY v.g
ORDER BY v.g;
COMMENT ON VIEW frontier_members IS
    'Transfinite Chomp, section 12: which g < 100 are found in L, and the least a where; what is not found may still occur at a larger a';
COMMENT ON COLUMN frontier_members.g IS 'Grundy value with every bite allowed, 1 to 99';
COMMENT ON COLUMN frontier_members.box_a IS 'least a with G(4 x a) = g; NULL: none found';
COMMENT ON COLUMN frontier_members.side_top_a IS 'least a with G((4 x a) + (2 x w)) = g, if the scan went far enough; NULL: none found';
COMMENT ON COLUMN frontier_members.found IS 'whether g is found in L';

CREATE OR REPLACE VIEW shapes AS
SELECT
    g.name AS game,
    m.source,
    m.first_x,
    m.last_x,
    m.quantity,
    m.value,
    m.standard_error,
    m.expected,
    m.value - m.expected AS deviation
FROM (
    SELECT 'sheets' AS source, * FROM geometry
    UNION ALL
    SELECT 'census' AS source, * FROM census_geometry
) AS m
JOIN game AS g USING (game_id)
ORDER BY game, source, first_x;
COMMENT ON VIEW shapes IS
    'Chomp: the shape of the sheets over ranges of x, measured and by equation (5) of Friedman and Landsberg';
COMMENT ON COLUMN shapes.game IS 'canonical text of the game';
COMMENT ON COLUMN shapes.source IS 'sheets, or census: slopes from end to end of a line, no scatter';
COMMENT ON COLUMN shapes.first_x IS 'first sheet of the range';
COMMENT ON COLUMN shapes.last_x IS 'last sheet of the range';
COMMENT ON COLUMN shapes.quantity IS 'measured quantity, e.g. alpha; see docs/geometry.md';
COMMENT ON COLUMN shapes.value IS 'measured value';
COMMENT ON COLUMN shapes.standard_error IS 'standard error by a block jackknife; NULL: none, e.g. for extremes';
COMMENT ON COLUMN shapes.expected IS 'value by equation (5) of Friedman and Landsberg (2007); NULL: none';
COMMENT ON COLUMN shapes.deviation IS 'value - expected';

CREATE OR REPLACE VIEW sheet_lines AS
WITH lines AS (
    SELECT game_id, x, 'upper' AS line, upper_count::DOUBLE AS n, upper_y::DOUBLE AS y,
        upper_z::DOUBLE AS z, upper_yy::DOUBLE AS yy, upper_yz::DOUBLE AS yz,
        upper_zz::DOUBLE AS zz, upper_least AS least, upper_most AS most, line_length
    FROM sheet_geometry
    UNION ALL
    SELECT game_id, x, 'lower' AS line, lower_count::DOUBLE AS n, lower_y::DOUBLE AS y,
        lower_z::DOUBLE AS z, lower_yy::DOUBLE AS yy, lower_yz::DOUBLE AS yz,
        lower_zz::DOUBLE AS zz, lower_least AS least, lower_most AS most, line_length
    FROM sheet_geometry
),
fitted AS (
    SELECT *, (n * yz - y * z) / (n * yy - y * y) AS slope
    FROM lines
    WHERE n > 2
)
SELECT
    g.name AS game,
    f.x,
    f.line,
    f.n::BIGINT AS positions,
    f.n / (f.line_length - 1) AS density,
    f.slope,
    (f.z - f.slope * f.y) / f.n AS height,
    sqrt(greatest(0, (f.zz - f.z * f.z / f.n - f.slope * (f.yz - f.y * f.z / f.n)) / f.n))
        AS scatter,
    f.least,
    f.most
FROM fitted AS f
JOIN game AS g USING (game_id)
ORDER BY game, f.x, f.line;
COMMENT ON VIEW sheet_lines IS
    'Chomp: least-squares lines through the upper and the lower line of every sheet, with the standard deviation around them';
COMMENT ON COLUMN sheet_lines.game IS 'canonical text of the game';
COMMENT ON COLUMN sheet_lines.x IS 'number of the sheet';
COMMENT ON COLUMN sheet_lines.line IS 'upper or lower';
COMMENT ON COLUMN sheet_lines.positions IS 'P-positions on the line';
COMMENT ON COLUMN sheet_lines.density IS 'P-positions per column, up to the end of the lower line';
COMMENT ON COLUMN sheet_lines.slope IS 'slope of the least-squares line z = height + slope y';
COMMENT ON COLUMN sheet_lines.height IS 'z of the least-squares line at y = 0';
COMMENT ON COLUMN sheet_lines.scatter IS 'standard deviation of z around the least-squares line';
COMMENT ON COLUMN sheet_lines.least IS 'least distance in z from the line of equation (5)';
COMMENT ON COLUMN sheet_lines.most IS 'greatest distance in z from the line of equation (5)';

CREATE OR REPLACE VIEW scatter AS
SELECT
    g.name AS game,
    s.first_x,
    s.last_x,
    s.line,
    s.distance,
    s.positions,
    s.positions / sum(s.positions) OVER (PARTITION BY s.game_id, s.first_x, s.line) AS share
FROM geometry_scatter AS s
JOIN game AS g USING (game_id)
ORDER BY game, first_x, line, distance;
COMMENT ON VIEW scatter IS
    'Chomp: the distribution of the distance in z from the upper and the lower line, in bins of 1/4';
COMMENT ON COLUMN scatter.game IS 'canonical text of the game';
COMMENT ON COLUMN scatter.first_x IS 'first sheet of the range';
COMMENT ON COLUMN scatter.last_x IS 'last sheet of the range';
COMMENT ON COLUMN scatter.line IS 'upper or lower';
COMMENT ON COLUMN scatter.distance IS 'lower end of a bin of width 1/4 of the distance in z from the line of equation (5)';
COMMENT ON COLUMN scatter.positions IS 'P-positions of the range in the bin';
COMMENT ON COLUMN scatter.share IS 'positions divided by those of the line';

CREATE OR REPLACE VIEW universality AS
WITH latest AS (
    SELECT game, arg_max(source, first_x) AS source, max(first_x) AS first_x
    FROM shapes
    GROUP BY game
)
SELECT
    m.game,
    m.source,
    m.first_x,
    m.last_x,
    max(m.value) FILTER (quantity = 'alpha') AS alpha,
    max(m.value) FILTER (quantity = 'slope_lower') AS slope_lower,
    max(m.value) FILTER (quantity = 'density_lower') AS density_lower,
    max(m.value) FILTER (quantity = 'slope_upper') AS slope_upper,
    max(m.value) FILTER (quantity = 'density_upper') AS density_upper,
    max(m.value) FILTER (quantity = 'gamma') AS gamma,
    max(m.standard_error) FILTER (quantity = 'alpha') AS alpha_error,
    max(m.standard_error) FILTER (quantity = 'slope_lower') AS slope_lower_error,
    max(m.standard_error) FILTER (quantity = 'density_lower') AS density_lower_error,
    max(m.standard_error) FILTER (quantity = 'slope_upper') AS slope_upper_error,
    max(m.standard_error) FILTER (quantity = 'density_upper') AS density_upper_error,
    max(m.standard_error) FILTER (quantity = 'gamma') AS gamma_error
FROM shapes AS m
JOIN latest USING (game, source, first_x)
GROUP BY m.game, m.source, m.first_x, m.last_x
ORDER BY m.game;
COMMENT ON VIEW universality IS
    'Chomp: the six constants of every game over the upper half of its sheets, with standard errors';
COMMENT ON COLUMN universality.game IS 'canonical text of the game';
COMMENT ON COLUMN universality.source IS 'sheets or census';
COMMENT ON COLUMN universality.first_x IS 'first sheet of the range';
COMMENT ON COLUMN universality.last_x IS 'last sheet of the range';
COMMENT ON COLUMN universality.alpha IS 'alpha';
COMMENT ON COLUMN universality.slope_lower IS 'slope of the lower line';
COMMENT ON COLUMN universality.density_lower IS 'P-positions per column on the lower line';
COMMENT ON COLUMN universality.slope_upper IS 'slope of the upper line';
COMMENT ON COLUMN universality.density_upper IS 'P-positions per column on the upper line';
COMMENT ON COLUMN universality.gamma IS 'gamma, the share of sheets with a tail';
COMMENT ON COLUMN universality.alpha_error IS 'standard error of alpha';
COMMENT ON COLUMN universality.slope_lower_error IS 'standard error of slope_lower';
COMMENT ON COLUMN universality.density_lower_error IS 'standard error of density_lower';
COMMENT ON COLUMN universality.slope_upper_error IS 'standard error of slope_upper';
COMMENT ON COLUMN universality.density_upper_error IS 'standard error of density_upper';
COMMENT ON COLUMN universality.gamma_error IS 'standard error of gamma';

CREATE OR REPLACE VIEW openings_measured AS
SELECT
    game,
    length,
    bite,
    x AS place,
    CASE WHEN bite = 'row 3' THEN length / sqrt(2) ELSE (2 - sqrt(2)) * length END AS predicted,
    x - predicted AS residual,
    -- A sum, since a window over a FILTER would count all rows before each row again.
    sum((bite = 'row 3')::INTEGER) OVER (PARTITION BY game ORDER BY length)
        - (sqrt(2) - 1) * length AS discrepancy
FROM openings
ORDER BY game, length;
COMMENT ON VIEW openings_measured IS
    'Chomp: each winning opening beside the place that the geometry predicts, and the number of openings in row 3 so far beside (sqrt 2 - 1) length';
COMMENT ON COLUMN openings_measured.game IS 'canonical text of the game';
COMMENT ON COLUMN openings_measured.length IS 'columns of the rectangle with three rows';
COMMENT ON COLUMN openings_measured.bite IS 'rows 2 and 3, or row 3';
COMMENT ON COLUMN openings_measured.place IS 'columns of height 3 after the move';
COMMENT ON COLUMN openings_measured.predicted IS 'length / sqrt 2 for a bite in row 3, else (2 - sqrt 2) length';
COMMENT ON COLUMN openings_measured.residual IS 'place - predicted';
COMMENT ON COLUMN openings_measured.discrepancy IS 'openings in row 3 up to this length, minus (sqrt 2 - 1) length';

CREATE OR REPLACE VIEW ladders AS
SELECT
    g.name AS game,
    s.x,
    s.tail_period,
    s.tail_z,
    before.tail_period AS period_before,
    list_sort(list_distinct(list_intersect(s.tail_z, before.tail_z))) AS shared_z
FROM base_sheets AS s
JOIN game AS g USING (game_id)
LEFT JOIN base_sheets AS before ON before.game_id = s.game_id AND before.x = s.x - 2
WHERE g.family = 'chomp3' AND s.tail_period > 1
ORDER BY game, s.x;
COMMENT ON VIEW ladders IS
    'Chomp: tails of a period above 1 beside those of the sheet two before, and the z that they share';
COMMENT ON COLUMN ladders.game IS 'canonical text of the game';
COMMENT ON COLUMN ladders.x IS 'number of a sheet whose tail has a period above 1';
COMMENT ON COLUMN ladders.tail_period IS 'period of the tail';
COMMENT ON COLUMN ladders.tail_z IS 'z of one period of the tail';
COMMENT ON COLUMN ladders.period_before IS 'period of the tail of sheet x - 2; 0: it stops';
COMMENT ON COLUMN ladders.shared_z IS 'the z that both tails have';

CREATE OR REPLACE VIEW survival AS
SELECT
    g.name AS game,
    e.x0,
    count(*) AS trials,
    count(*) FILTER (fate IN ('independent', 'spreading')) AS survivors,
    survivors / trials AS share,
    sqrt(share * (1 - share) / trials) AS standard_error,
    median(e.half_moved_x / e.x0) FILTER (fate IN ('independent', 'spreading')) AS half_moved,
    avg(e.shares[-1]) FILTER (fate IN ('independent', 'spreading')) AS moved_at_end
FROM experiment AS e
JOIN game AS g USING (game_id)
GROUP BY g.name, e.x0
ORDER BY game, x0;
COMMENT ON VIEW survival IS
    'Chomp: of the P-positions of sheet x0 that were declared N, how many changed the game for good';
COMMENT ON COLUMN survival.game IS 'canonical text of the game';
COMMENT ON COLUMN survival.x0 IS 'sheet of the P-positions that were declared N';
COMMENT ON COLUMN survival.trials IS 'number of trials';
COMMENT ON COLUMN survival.survivors IS 'trials that neither healed nor only shifted or closed the game';
COMMENT ON COLUMN survival.share IS 'survivors / trials';
COMMENT ON COLUMN survival.standard_error IS 'binomial standard error of share';
COMMENT ON COLUMN survival.half_moved IS 'median x / x0 at which survivors have moved half of the P-positions';
COMMENT ON COLUMN survival.moved_at_end IS 'mean share of the P-positions that survivors have moved at x = 2 x0';

CREATE OR REPLACE VIEW sensitivity AS
SELECT
    g.name AS game,
    e.x0,
    e.number,
    e.fate,
    (20 + i) / 20 AS ratio,
    e.shares[i] AS moved
FROM experiment AS e
JOIN game AS g USING (game_id), generate_series(1, 20) AS t (i)
ORDER BY game, x0, number, ratio;
COMMENT ON VIEW sensitivity IS
    'Chomp: share of the P-positions that a declared position has moved, against x / x0';
COMMENT ON COLUMN sensitivity.game IS 'canonical text of the game';
COMMENT ON COLUMN sensitivity.x0 IS 'sheet of the P-position that was declared N';
COMMENT ON COLUMN sensitivity.number IS 'number of the trial among those of the same x0 and seed';
COMMENT ON COLUMN sensitivity.fate IS 'inert, healed, shifted, closed, independent or spreading; see docs/geometry.md';
COMMENT ON COLUMN sensitivity.ratio IS 'x / x0';
COMMENT ON COLUMN sensitivity.moved IS 'share of the P-positions of the sheets around x that have moved';
