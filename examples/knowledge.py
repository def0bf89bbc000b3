"""The pieces of knowledge that the decompositions name: general laws, never a problem's values."""

from __future__ import annotations

from benchwright.examples.problem import Term

PYTHAGORAS = Term(
    "the Pythagorean theorem",
    "勾股定理",
    "In a right triangle the squares of the two legs add up to the square of the hypotenuse.",
    "直角三角形两条直角边的平方和等于斜边的平方。",
)
TRIANGLE_AREA = Term(
    "the area of a triangle",
    "三角形的面积公式",
    "Half the product of any side and the altitude drawn to that side.",
    "三角形的面积等于任意一边与该边上的高的乘积的一半。",
)
COSINES = Term(
    "the law of cosines",
    "余弦定理",
    r"For sides $a$, $b$, $c$ and the angle $A$ opposite $a$: $a^2=b^2+c^2-2bc\cos A$.",
    r"在三角形中，$a^2=b^2+c^2-2bc\cos A$，其中 $A$ 为边 $a$ 所对的角。",
)
INSCRIBED = Term(
    "the inscribed angle theorem",
    "圆周角定理",
    "An angle at the circle is half the angle at the centre that stands on the same arc.",
    "一条弧所对的圆周角等于它所对的圆心角的一半。",
)
CONE_SURFACE = Term(
    "the lateral surface of a cone",
    "圆锥的侧面积公式",
    r"Unrolled it is a sector; its area is $\pi r l$ with the base radius $r$ and the slant height $l$.",
    r"圆锥的侧面展开图是扇形，侧面积为 $\pi rl$，其中 $r$ 为底面半径，$l$ 为母线长。",
)
FACTORED = Term(
    "the factored form of a quadratic function",
    "二次函数的交点式",
    r"A parabola that meets the $x$-axis at $x_1$ and $x_2$ has the equation $y=a(x-x_1)(x-x_2)$.",
    r"与 $x$ 轴交于 $x_1$、$x_2$ 的抛物线可写成 $y=a(x-x_1)(x-x_2)$。",
)
CONDITIONAL = Term(
    "conditional probability",
    "条件概率",
    r"The probability of $A$ once $B$ is known to hold is $P(A\mid B)=P(AB)/P(B)$.",
    r"在事件 $B$ 发生的条件下事件 $A$ 发生的概率为 $P(A\mid B)=P(AB)/P(B)$。",
)
MEAN = Term(
    "the weighted mean",
    "加权平均数",
    "Each value is multiplied by how often it occurs; the sum is divided by the number of all values.",
    "各数据与其频数之积的和除以数据的总个数。",
)
NEWTON = Term(
    "Newton's second law",
    "牛顿第二定律",
    "The net force on a body equals its mass times its acceleration, $F=ma$.",
    "物体所受的合外力等于质量与加速度的乘积，即 $F=ma$。",
)
ROTATION = Term(
    "the law of rotation",
    "刚体的转动定律",
    r"A net torque $M$ gives a body of moment of inertia $I$ the angular acceleration $\alpha$ with $M=I\alpha$; "
    r"for a uniform disc about its axis $I=\frac{1}{2}mr^2$.",
    r"刚体所受的合外力矩 $M$ 等于其转动惯量 $I$ 与角加速度 $\alpha$ 的乘积，即 $M=I\alpha$；"
    r"匀质圆盘绕中心轴的转动惯量 $I=\frac{1}{2}mr^2$。",
)
SLIDING = Term(
    "sliding friction",
    "滑动摩擦力",
    r"It opposes the motion and equals the normal force times the coefficient of friction, $f=\mu N$.",
    r"滑动摩擦力与相对运动方向相反，大小为 $f=\mu N$。",
)
UNIFORM_ACCELERATION = Term(
    "uniformly accelerated motion",
    "匀变速直线运动",
    r"With constant acceleration, $v=v_0+at$ and $x=v_0t+\frac{1}{2}at^2$.",
    r"加速度恒定时，$v=v_0+at$，$x=v_0t+\frac{1}{2}at^2$。",
)
LEVER = Term(
    "the law of the lever",
    "杠杆的平衡条件",
    "In balance, force times arm is the same on both sides of the pivot.",
    "杠杆平衡时，动力乘动力臂等于阻力乘阻力臂。",
)
PROJECTILE = Term(
    "independence of perpendicular motions",
    "运动的独立性",
    "A thrown body moves uniformly in the horizontal and falls freely in the vertical, each without regard "
    "to the other.",
    "平抛运动可分解为水平方向的匀速直线运动和竖直方向的自由落体运动，两者互不影响。",
)
GRAPH_AREA = Term(
    "area under a velocity-time graph",
    "$v$-$t$ 图象的面积",
    "The area between the graph and the time axis is the displacement.",
    "$v$-$t$ 图线与时间轴所围的面积表示位移。",
)
OHM = Term(
    "Ohm's law",
    "欧姆定律",
    "The current through a conductor is the voltage across it divided by its resistance.",
    "导体中的电流等于导体两端的电压与电阻之比。",
)
PARALLEL = Term(
    "resistors in series and in parallel",
    "串并联电路的电阻规律",
    "In series resistances add up; in parallel their reciprocals add up.",
    "串联电路的总电阻等于各电阻之和，并联电路总电阻的倒数等于各电阻倒数之和。",
)
LORENTZ = Term(
    "circular motion in a magnetic field",
    "带电粒子在匀强磁场中的圆周运动",
    r"The magnetic force is the centripetal force, so $qvB=\frac{mv^2}{r}$.",
    r"洛伦兹力提供向心力，$qvB=\frac{mv^2}{r}$。",
)
INDUCTION = Term(
    "motional electromotive force",
    "动生电动势",
    "A rod of length $L$ that moves at speed $v$ across a field $B$ has the electromotive force $E=BLv$.",
    "长为 $L$ 的导体棒以速度 $v$ 垂直切割磁感线时，感应电动势 $E=BLv$。",
)
LENS = Term(
    "the thin lens equation",
    "透镜成像公式",
    r"Object distance, image distance and focal length obey $\frac{1}{u}+\frac{1}{v}=\frac{1}{f}$.",
    r"物距、像距与焦距满足 $\frac{1}{u}+\frac{1}{v}=\frac{1}{f}$。",
)
SNELL = Term(
    "the law of refraction",
    "光的折射定律",
    r"On entering a medium of refractive index $n$ from air, $\sin i=n\sin r$.",
    r"光从空气射入折射率为 $n$ 的介质时，$\sin i=n\sin r$。",
)
GAS_LAW = Term(
    "the state equation of an ideal gas",
    "理想气体状态方程",
    r"For a fixed amount of an ideal gas $\frac{pV}{T}$ stays the same.",
    r"一定质量的理想气体，$\frac{pV}{T}$ 保持不变。",
)
BOYLE = Term(
    "Boyle's law",
    "玻意耳定律",
    "At constant temperature, pressure and volume of a fixed amount of gas are inversely proportional.",
    "一定质量的气体在温度不变时，压强与体积成反比。",
)
WAVE_SPEED = Term(
    "speed, wavelength and frequency of a wave",
    "波速、波长与频率的关系",
    r"The speed is the product of wavelength and frequency, $v=\lambda f$.",
    r"波速等于波长与频率的乘积，$v=\lambda f$。",
)
FARADAY = Term(
    "Faraday's law of electrolysis",
    "法拉第电解定律",
    r"The charge $Q=It$ carries $n=\frac{Q}{F}$ moles of electrons; an ion of charge $z$ needs $z$ of them.",
    r"电量 $Q=It$ 对应转移电子的物质的量 $n=\frac{Q}{F}$，析出一个 $z$ 价离子需要 $z$ 个电子。",
)
MOLAR_MASS = Term(
    "molar mass",
    "摩尔质量",
    "Mass equals amount of substance times molar mass, $m=nM$.",
    "质量等于物质的量与摩尔质量的乘积，即 $m=nM$。",
)
NEUTRALISATION = Term(
    "neutralisation of a strong acid by a strong base",
    "强酸与强碱的中和反应",
    "At the end point the amounts of hydrogen ions and hydroxide ions that were brought together are equal.",
    "恰好中和时，参加反应的氢离子与氢氧根离子的物质的量相等。",
)
CONCENTRATION = Term(
    "amount concentration",
    "物质的量浓度",
    r"Amount of substance divided by the volume of the solution, $c=\frac{n}{V}$.",
    r"溶质的物质的量与溶液体积之比，即 $c=\frac{n}{V}$。",
)
REACTION_ENTHALPY = Term(
    "enthalpy of reaction and activation energy",
    "反应热与活化能",
    "The enthalpy of reaction is the energy of the products less that of the reactants; the activation "
    "energy is the height of the barrier above the reactants.",
    "反应热等于生成物总能量减去反应物总能量；活化能是反应物越过能垒所需的能量。",
)
EQUILIBRIUM = Term(
    "the equilibrium constant",
    "化学平衡常数",
    "At equilibrium: the product of the products' concentrations, each raised to its coefficient, divided by "
    "the same product for the reactants.",
    "平衡时，各生成物浓度的化学计量数次幂之积与各反应物浓度的化学计量数次幂之积的比值。",
)
IONS = Term(
    "charge of a particle",
    "微粒所带的电荷",
    "A particle with fewer electrons than protons is a cation, with more electrons an anion.",
    "核外电子数小于质子数的微粒为阳离子，大于质子数的为阴离子。",
)
AMPHOTERIC = Term(
    "amphoteric aluminium hydroxide",
    "氢氧化铝的两性",
    "Aluminium ions take three hydroxide ions to precipitate; the precipitate dissolves in a further one.",
    "铝离子与三倍量的氢氧根离子生成沉淀，沉淀再与等量的氢氧根离子反应而溶解。",
)
OSMOSIS = Term(
    "osmosis",
    "渗透作用",
    "Through a membrane that only lets water pass, more water moves towards the solution with more dissolved "
    "particles.",
    "水分子通过半透膜，总体上由溶质浓度低的一侧向浓度高的一侧扩散。",
)
RECESSIVE = Term(
    "autosomal recessive inheritance",
    "常染色体隐性遗传",
    "Healthy parents of an affected daughter both carry the allele; of their healthy children two in three "
    "carry it too.",
    "正常双亲生出患病女儿，则双亲均为携带者；其正常子女中携带者占三分之二。",
)
SEGREGATION = Term(
    "the law of segregation",
    "分离定律",
    "Each gamete receives one of the two alleles, either with the same probability.",
    "形成配子时成对的等位基因分离，以相同的概率进入不同的配子。",
)
ENERGY_FLOW = Term(
    "energy flow through food chains",
    "食物链中的能量流动",
    "At each step only a part of the energy passes on; the fewer steps, the more arrives.",
    "能量沿食物链逐级递减，营养级越少，最高营养级获得的能量越多。",
)
PHOTOSYNTHESIS_RATE = Term(
    "net and gross photosynthesis",
    "净光合速率与总光合速率",
    "What is taken up in the light is the net rate; with the rate of respiration added it is the gross rate.",
    "光照下测得的吸收速率为净光合速率，加上呼吸速率即为总光合速率。",
)
BASE_PAIRING = Term(
    "complementary base pairing",
    "碱基互补配对原则",
    "In double-stranded DNA there is as much A as T and as much G as C.",
    "双链 DNA 中 A 与 T 数目相等，G 与 C 数目相等。",
)
LOGISTIC = Term(
    "logistic growth of a population",
    "种群的 S 型增长",
    "The growth rate is greatest when the population has reached half of what the environment can carry.",
    "种群数量达到环境容纳量的一半时，种群增长速率最大。",
)
CARDIAC_OUTPUT = Term(
    "cardiac output",
    "心输出量",
    "The volume of blood that a ventricle pumps in a minute: stroke volume times heart rate.",
    "心室每分钟射出的血量，等于每搏输出量与心率的乘积。",
)
