"""Line numbers of the references of entries in the plain text of their papers."""

from typing import Final

from position_oracle.oracle.reproduce.registry import Entry, Paper

_LINES: Final[dict[Paper, str]] = {
    Paper.CHOMP: """
        Figure 1: 36; Moves (M1)-(M6): 42; Figure 2: 143; Figure 3: 202; Figure 4: 207;
        Figure 5: 210; Figure 6: 243; Figure 7: 288; Figure 8: 340; Equation (1): 99;
        Equation (2): 103; Equation (3): 134; Equation (4): 138; Equation (6): 195;
        Left shift, addition and diagonals: 91; Renormalization constraints 1-6: 236;
        Equation (5): 181; Constants of equation (5) in the tables: 181; Equation (7): 218;
        Equation (8): 222; Equation (9): 230; Forbidden regions: 232;
        Assumption of constraint 6: 275; Section III G: 273; Facts (F1)-(F3): 60;
        Gale's argument: 23; Termination of the supermex: 126; Brouwer's observation: 285;
        Section IV A: 283; Winning opening (i): 296; Winning opening (ii): 298;
        Winning opening (iii): 299; Derivation of the opening: 301; Width of the scatter: 309;
        Winning moves from other positions: 313; Section IV C: 311; Universality: 321;
        Section V A: 321; Nim and its variants: 329; Sensitivity to initial conditions: 331;
        Section V B: 331; Accretion: 344; Section V C: 344; Compressibility: 348;
        Section V D: 348; Four-row Chomp: 358; Section V E: 356; Other games: 358
    """,
    Paper.PREPRINT: """
        Figure 1: 476; Figure 2: 492; Figure 3: 543; Figure 4: 571; Figure A1: 1011;
        Figure A2: 1021; Figure A3: 1023; Figure A4: 1208; Appendix A: moves and operators: 611;
        Equation (1): 836; Equation (2): 794; Equation (3): 936; Equation (4): 940;
        Equation (5): 1131; Equation (6): 987; Equation (7): 1106; Equation (8): 1102;
        Equation (9): 1355; Termination of the supermex: 902; Appendix B: constraints 1-6: 946;
        Appendix C: winning opening: 1425; Appendix D: three-heap Nim: 1519
    """,
    Paper.PASSES: """
        Figure 1: 41; Figure 2: 70; Figure 3: 79; Figure 4: 161; Figure 5: 168; Figure 6: 199;
        Figure 7: 224; Figure 8: 241; Figure 9: 350; Figure 10: 360; Figure 11: 454;
        Figure 12: 475; Figure 13: 484; Equation (1): 126; Equation (2): 142; Equation (3): 146;
        Equation (4): 150; Equation (5): 203; Equation (6): 207; Equation (7): 213;
        Equation (8): 219; Equation (9): 269; Equation (10): 275; Equation (11): 281;
        Equation (12): 309; Equation (13): 313; Equation (14): 319; Equation (15): 384;
        Equation (16): 390; Equation (17): 394; Equation (18): 408; Equation (19): 416;
        Equation (20): 420; Equivalence of passes and generic games: 345; Section 4: 329;
        Consideration 1: 85; Section 1.2: 81; Considerations 2 and 3: 89; Bouton's theorem: 102;
        Section 2.1: 102; Remarks on Nim's geometry: 158; Geometry of Nim with a pass: 230;
        Section 2.2: 176; Solution of Nim with a pass: 230; Geometry of Chomp with a pass: 325;
        Section 3: 236; Attractor of generic Nim: 353; Section 4.2: 343;
        Uniqueness of the attractor of generic Chomp: 374; Footnote 6: 374; Analogies: 430;
        Section 5 and Section 6.1: 424; Robustness: 449; Section 6.1: 447;
        Number of P-positions: 464; Section 6.2: 460; Degree of perturbation: 462;
        More passes: 486; Section 7: 479; Lyapunov exponents: 488
    """,
    Paper.RANDOM_PLAY: """
        Equation (2.1): 141; Equation (2.2): 147; Theorem 1.1: 35; Proof of Theorem 1.1: 170;
        Theorem 1.2: 45; Proof of Theorem 1.2: 184; Theorem 1.3: 53;
        Recursion of Theorem 1.3: 57; Table 1: 83; Example of Theorem 1.3: 71;
        Discovery of Theorem 1.3: 85; Theorem 1.4: 89; Proof of Theorem 1.4: 292; Lemma 4.1: 262;
        Consequence of Theorem 1.4: 89; Conjecture 1.5: 111; Conjecture 1.6: 115;
        Theorem 1.7: 121; Section 5: 346; Section 6: 366
    """,
    Paper.TRANSFINITE: """
        Introduction: the boxes 2 x h and 3 x h: 11; Abstract: 7; Section 13: 764; Ordinals: 39;
        Section 1: 39; Figure 1: 83; Size, Section 2: 63; Figure 2: 89; Bites decrease size: 63;
        Section 2: 63; Grundy values: 97; Section 3: 97; Termination criteria: 115;
        Section 4: 115; Theorem 5.1: 141; Figure 3: 149; Corollary 5.2: 194; Figure 4: 216;
        Figure 5: 234; Section 6: 204; Proposition 6.1: 236; Theorem 7.1: 254;
        P-ordered positions: 250; Section 7: 248; Theorem 8.1: 310; Figure 6: 306; Table 1: 354;
        Formula (9-1): 358; Progressions of section 9: 328; Formula (9-2): 370;
        Formula (9-3): 376; Formula (9-4): 390; Formula (9-5): 394; Formula (9-6): 404;
        Two-wide positions: certificates: 328; Formula (10-1): 462; Figure 7a: 458;
        Figure 7b: 472; The tall box: 484; Section 10: 422; Theorem 11.1: 516; Figure 8: 508;
        Ordinal subtraction and the list of finite P-positions: 528; PA1: 564; PA2: 566;
        PA3: 582; PB1: 572; PB2: 574; PC1: 604; PC2: 618; PC3: 620; PC4: 624; PD1: 614;
        PD2: 628; PD3: 632; PE1: 700; PF1: 708; Types A to F: certificates: 546;
        Examples of type C: 672; z_1 = 2: 674; z_1 = 1: 672; Examples of section 11: 720;
        Conjecture 12.1: 742; The set L: 760; Section 12: 738; G(4 x w): 754;
        Recursive sets: 750
    """,
}


def line_numbers_of(entry: Entry) -> tuple[int, ...]:
    """Return the line numbers of an entry's references, ascending; none without one paper.

    Raises:
        KeyError: a reference of a paper has no line.
    """
    if entry.paper not in _LINES:
        return ()
    found = (one.rpartition(":") for one in _LINES[entry.paper].split(";"))
    lines = {" ".join(reference.split()): int(line) for reference, _, line in found}
    return tuple(sorted({lines[reference] for reference in entry.references}))
